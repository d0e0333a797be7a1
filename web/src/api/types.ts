/** The words of the wire, as the page reads them. The one place the rest of the page imports them from. */

export type Status = "waiting" | "running" | "interrupting" | "requires_action" | "error";
export type Role = "system" | "user" | "assistant" | "tool";
export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
export type Busy = "queue" | "steer" | "interrupt";
export type ActionKind = "client_tool" | "approval" | "outcome_unknown" | "budget" | "children";
export type FinishReason = "stop" | "tool_calls" | "length" | "paused" | "content_filter" | "interrupted";
export type MessageKind = "ordinary" | "boundary" | "compaction" | "hook" | "notice" | "context";
export type ErrorKind =
  | "overloaded"
  | "rate_limit"
  | "timeout"
  | "startup_timeout"
  | "stream_silence_timeout"
  | "auth"
  | "config"
  | "context_overflow"
  | "usage_limit"
  | "missing_key"
  | "provider_disabled"
  | "content_filter"
  | "hook_denied"
  | "hook_dispatch_failed"
  | "generic";

export interface Media {
  file_id: string;
  media_type: string;
  name: string;
}

export interface TextPart {
  type: "text";
  text: string;
}
export interface ReasoningPart {
  type: "reasoning";
  text: string;
  started_at?: string;
  completed_at?: string;
}
export interface ToolCallPart {
  type: "tool_call";
  call_id: string;
  tool: string;
  args: string;
  provider_executed?: boolean;
  mcp_server_id?: string;
  rewritten?: boolean;
  created_at?: string;
}
export interface ToolResultPart {
  type: "tool_result";
  call_id: string;
  tool: string;
  result: string;
  is_error?: boolean;
  media?: Media[];
  provider_executed?: boolean;
  created_at?: string;
}
export interface SourcePart {
  type: "source";
  id: string;
  url: string;
  title?: string;
}
export interface FilePart {
  type: "file";
  file_id: string;
  name: string;
  media_type: string;
}
export interface FileReferencePart {
  type: "file_reference";
  file_name: string;
  start_line: number;
  end_line: number;
  content: string;
}
export interface NoticePart {
  type: "notice";
  kind: string;
  text: string;
}
export type Part =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | SourcePart
  | FilePart
  | FileReferencePart
  | NoticePart;
/** What a person may send. */
export type Content = TextPart | FilePart | FileReferencePart;

interface DeltaOf<Type extends string> {
  type: Type;
  index: number;
}
export type Delta =
  | (DeltaOf<"text"> & { text?: string })
  | (DeltaOf<"reasoning"> & { text?: string; started_at?: string; completed_at?: string })
  | (DeltaOf<"tool_call"> & {
      call_id?: string;
      tool?: string;
      args_delta?: string;
      provider_executed?: boolean;
      created_at?: string;
    })
  | (DeltaOf<"tool_result"> & {
      call_id?: string;
      tool?: string;
      result_delta?: string;
      result_reset?: boolean;
      is_error?: boolean;
      media?: Media[];
      provider_executed?: boolean;
      done?: boolean;
      created_at?: string;
    })
  | (DeltaOf<"source"> & { id?: string; url?: string; title?: string })
  | (DeltaOf<"file"> & { file_id?: string; name?: string; media_type?: string })
  | (DeltaOf<"notice"> & { kind?: string; text?: string });

export interface Usage {
  input?: number;
  output?: number;
  reasoning?: number;
  cache_read?: number;
  cache_write?: number;
}

export interface Message {
  number: number;
  revision: number;
  created_at: string;
  role: Role;
  parts: Part[];
  kind?: MessageKind;
  created_by?: string;
  model?: string;
  effort?: Effort;
  usage?: Usage;
  cost?: number;
  runtime_ms?: number;
  finish_reason?: FinishReason;
  client_id?: string;
  queued_as?: number;
}

export interface QueuedMessage {
  number: number;
  parts: Part[];
  steer?: boolean;
  model?: string;
  effort?: Effort;
  created_at: string;
  client_id?: string;
}

export interface PendingCall {
  call_id: string;
  tool: string;
  args: string;
}
export interface PendingAction {
  kind: ActionKind;
  calls?: PendingCall[];
  children?: string[];
  deadline_at?: string;
  limit?: number;
  spent?: number;
}
export interface ChatError {
  message: string;
  kind?: ErrorKind;
  detail?: string;
  provider?: string;
  retryable?: boolean;
  status_code?: number;
}
export interface RetryState {
  attempt: number;
  delay_ms: number;
  error: string;
  kind: ErrorKind;
  retrying_at: string;
  provider?: string;
  status_code?: number;
}
export interface DiffStatus {
  branch?: string;
  origin?: string;
  files?: number;
  added?: number;
  removed?: number;
  pull_request_url?: string;
  pull_request_state?: string;
}
export interface ChatCard {
  id: string;
  owner_id: string;
  title: string;
  status: Status;
  created_at: string;
  updated_at: string;
  archived?: boolean;
  parent_id?: string;
  root_id?: string;
  children?: string[];
  model?: string;
  effort?: Effort;
  plan_mode?: boolean;
  labels?: Record<string, string>;
  pin?: number;
  unread?: boolean;
  shared?: boolean;
  turn_label?: string;
  summary?: string;
  workspace_id?: string;
  diff?: DiffStatus;
  context_dirty?: boolean;
  cost?: number;
  unpriced_calls?: number;
  context_tokens?: number;
  context_limit?: number;
  last_error?: ChatError;
  action?: ActionKind;
  waiting_for_capacity?: boolean;
  snippet?: string;
}

interface EventOf<Type extends string> {
  type: Type;
  cursor: string;
}
export type MessageEvent = EventOf<"message"> & { message: Message };
export type MessagePartEvent = EventOf<"message_part"> & {
  role: Role;
  part: Delta;
  history_version: number;
  attempt: number;
  seq: number;
  seq_from?: number;
};
export type ChatEvent =
  | MessageEvent
  | MessagePartEvent
  | (EventOf<"status"> & { status: Status })
  | (EventOf<"queue_update"> & { queue: QueuedMessage[] })
  | (EventOf<"retry"> & { retry: RetryState | null })
  | (EventOf<"error"> & { error: ChatError | null })
  | (EventOf<"action_required"> & { action: PendingAction | null })
  | EventOf<"preview_reset">
  | (EventOf<"history_reset"> & { after: number })
  | (EventOf<"chat"> & { chat: ChatCard });

export type WatchEvent =
  | { type: "watch_reset"; cursor: string }
  | {
      type:
        | "created"
        | "status_change"
        | "title_change"
        | "summary_change"
        | "action_required"
        | "diff_status_change"
        | "context_dirty"
        | "read_change"
        | "archived"
        | "unarchived"
        | "deleted";
      cursor: string;
      chat_id: string;
      chat?: ChatCard;
    };

export interface Page<Item> {
  items: Item[];
  next_cursor?: string;
}
export interface ChatPage extends Page<ChatCard> {
  related?: ChatCard[];
}
export interface Sent {
  message?: Message;
  queued?: QueuedMessage;
  chat: ChatCard;
}
export interface Created {
  chat: ChatCard;
  message?: Message;
  cursor?: string;
}
export interface Branch {
  snapshot: number;
  after: number;
  messages: Message[];
}

export type UserRole = "owner" | "admin" | "member" | "auditor";
export interface Me {
  id: string;
  email: string;
  name: string;
  role: UserRole;
  organisation_id: string;
  csrf_token: string;
  preferences: Preferences;
}
export interface Preferences {
  model?: string;
  effort?: Effort;
  notifications?: boolean;
  [name: string]: unknown;
}
export interface LoginMethods {
  password: boolean;
  oidc: { slug: string; name: string; url: string }[];
  first_run: boolean;
}
export interface Model {
  name: string;
  display_name?: string;
  provider: string;
  dialect?: string;
  context_window?: number;
  max_effort?: Effort;
  efforts?: Effort[];
  images?: boolean;
  enabled?: boolean;
  default?: boolean;
  price?: Price;
}
/** Micro-dollars per million tokens. */
export interface Price {
  input?: number;
  output?: number;
  cache_read?: number;
  cache_write?: number;
}
export interface InboxEntry {
  id: string;
  chat_id: string;
  kind: "finished" | "failed" | "needs_you" | "shared" | "digest";
  title: string;
  text: string;
  created_at: string;
  read_at?: string;
}
export interface StoredFile {
  id: string;
  name: string;
  media_type: string;
  size: number;
}
