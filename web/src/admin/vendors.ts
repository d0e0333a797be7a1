/** Whose models can be reached, and what each needs to know. */

import type { Provider } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import type { FieldSpec } from "../settings/form.tsx";

export interface Vendor {
  vendor: string;
  name: string;
  dialect: string;
  base_url: string;
  /** Where a key is got, in words. */
  key: string;
  needsKey: boolean;
  /** What else it wants to know, and what that is unless somebody says otherwise. */
  more?: FieldSpec[];
  options?: Record<string, string>;
  /** Where it is, when its address follows from something else. */
  where?: string;
}

const REGION: FieldSpec = { name: "options.region", label: t("Region"), required: true };
const PROJECT: FieldSpec = { name: "options.project", label: t("Project"), required: true };
const API_VERSION: FieldSpec = {
  name: "options.api_version",
  label: t("API version"),
  placeholder: "2024-10-21",
  hint: t("Only for resources with dated API versions."),
};

export const VENDORS: Vendor[] = [
  {
    vendor: "anthropic",
    name: "Anthropic",
    dialect: "anthropic_messages",
    base_url: "https://api.anthropic.com",
    key: t("Starts with sk-ant-."),
    needsKey: true,
  },
  {
    vendor: "openai",
    name: "OpenAI",
    dialect: "openai_responses",
    base_url: "https://api.openai.com",
    key: t("Starts with sk-."),
    needsKey: true,
  },
  {
    vendor: "google",
    name: "Google Gemini",
    dialect: "gemini",
    base_url: "https://generativelanguage.googleapis.com",
    key: t("A Gemini API key."),
    needsKey: true,
  },
  {
    vendor: "openrouter",
    name: "OpenRouter",
    dialect: "openai_chat",
    base_url: "https://openrouter.ai/api",
    key: t("Starts with sk-or-."),
    needsKey: true,
  },
  {
    vendor: "ollama",
    name: "Ollama",
    dialect: "openai_chat",
    base_url: "http://127.0.0.1:11434",
    key: t("Not needed for a local server."),
    needsKey: false,
  },
  {
    vendor: "azure",
    name: "Azure OpenAI",
    dialect: "openai_responses",
    base_url: "https://RESOURCE.openai.azure.com/openai",
    key: t("An API key for the resource."),
    needsKey: true,
    more: [API_VERSION],
  },
  {
    vendor: "bedrock",
    name: "Amazon Bedrock",
    dialect: "anthropic_messages",
    base_url: "",
    key: t("ACCESS_KEY_ID:SECRET. Leave empty to use the credentials of the server's machine."),
    needsKey: false,
    more: [REGION],
    options: { region: "us-east-1" },
    where: t("per region"),
  },
  {
    vendor: "vertex",
    name: "Google Vertex AI",
    dialect: "gemini",
    base_url: "",
    key: t("Service account JSON. Leave empty to use the credentials of the server's machine."),
    needsKey: false,
    more: [PROJECT, REGION],
    options: { region: "global" },
    where: t("per project"),
  },
  {
    vendor: "",
    name: t("Custom (OpenAI-compatible)"),
    dialect: "openai_chat",
    base_url: "",
    key: t("Only if the server needs one."),
    needsKey: false,
  },
];

export const DIALECTS = [
  { value: "anthropic_messages", label: t("Anthropic Messages") },
  { value: "openai_responses", label: t("OpenAI Responses") },
  { value: "openai_chat", label: t("OpenAI Chat Completions") },
  { value: "gemini", label: "Google Gemini" },
];

export function vendorOf(provider: Provider): Vendor | undefined {
  return VENDORS.find((entry) => entry.vendor && entry.vendor === provider.options?.vendor);
}
