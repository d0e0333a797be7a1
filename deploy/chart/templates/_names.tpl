{{- define "perdure.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "perdure.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "perdure.labels" -}}
{{ include "perdure.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "perdure.account" -}}
{{- .Values.serviceAccount.name | default (ternary (include "perdure.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- define "perdure.workspaces" -}}
{{- .Values.workspaces.namespace | default .Release.Namespace }}
{{- end }}

{{- /* Where the database's URL is: a secret that is there, CloudNativePG's, or ours. */}}
{{- define "perdure.database" -}}
{{- $given := .Values.database }}
{{- $said := len (compact (list $given.url $given.secret.name $given.cloudNativePG)) }}
{{- if ne $said 1 }}
{{- fail "Say where Postgres is with exactly one of database.url, database.secret.name and database.cloudNativePG." }}
{{- end }}
{{- if $given.cloudNativePG }}
name: {{ $given.cloudNativePG }}-app
key: uri
{{- else if $given.secret.name }}
name: {{ $given.secret.name }}
key: {{ $given.secret.key }}
{{- else }}
name: {{ include "perdure.name" . }}
key: database-url
{{- end }}
{{- end }}

{{- define "perdure.owner" -}}
{{- if .Values.owner.secret.name }}
name: {{ .Values.owner.secret.name }}
key: {{ .Values.owner.secret.key }}
{{- else if .Values.owner.password }}
name: {{ include "perdure.name" . }}
key: owner-password
{{- end }}
{{- end }}

{{- define "perdure.secretKey" -}}
{{- $given := .Values.secretKey }}
{{- if ne (len (compact (list $given.value $given.secret.name))) 1 }}
{{- fail "Give the key that all replicas share with exactly one of secretKey.value and secretKey.secret.name." }}
{{- end }}
{{- if $given.secret.name }}
name: {{ $given.secret.name }}
key: {{ $given.secret.key }}
{{- else }}
name: {{ include "perdure.name" . }}
key: secret-key
{{- end }}
{{- end }}
