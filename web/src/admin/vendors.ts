/** Whose models can be reached, and what each needs to know. */

import type { Provider } from "../api/types.ts";

export interface Vendor {
  vendor: string;
  name: string;
  dialect: string;
  base_url: string;
  /** Where a key is got, in words. */
  key: string;
  needsKey: boolean;
  /** Where its models run, unless somebody says otherwise. */
  region?: string;
}

export const VENDORS: Vendor[] = [
  {
    vendor: "anthropic",
    name: "Anthropic",
    dialect: "anthropic_messages",
    base_url: "https://api.anthropic.com",
    key: "Begins with sk-ant-.",
    needsKey: true,
  },
  {
    vendor: "openai",
    name: "OpenAI",
    dialect: "openai_responses",
    base_url: "https://api.openai.com",
    key: "Begins with sk-.",
    needsKey: true,
  },
  {
    vendor: "google",
    name: "Google Gemini",
    dialect: "gemini",
    base_url: "https://generativelanguage.googleapis.com",
    key: "A Gemini API key.",
    needsKey: true,
  },
  {
    vendor: "openrouter",
    name: "OpenRouter",
    dialect: "openai_chat",
    base_url: "https://openrouter.ai/api",
    key: "Begins with sk-or-.",
    needsKey: true,
  },
  {
    vendor: "ollama",
    name: "Ollama",
    dialect: "openai_chat",
    base_url: "http://127.0.0.1:11434",
    key: "None is needed on your own machine.",
    needsKey: false,
  },
  {
    vendor: "azure",
    name: "Azure OpenAI",
    dialect: "openai_responses",
    base_url: "https://RESOURCE.openai.azure.com/openai",
    key: "A key of the resource.",
    needsKey: true,
  },
  {
    vendor: "bedrock",
    name: "Amazon Bedrock",
    dialect: "anthropic_messages",
    base_url: "https://bedrock-runtime.us-east-1.amazonaws.com",
    key: "Access key id, a colon, and the secret.",
    needsKey: true,
    region: "us-east-1",
  },
  {
    vendor: "",
    name: "Anything compatible",
    dialect: "openai_chat",
    base_url: "",
    key: "If the server asks for one.",
    needsKey: false,
  },
];

export const DIALECTS = [
  { value: "anthropic_messages", label: "Anthropic Messages" },
  { value: "openai_responses", label: "OpenAI Responses" },
  { value: "openai_chat", label: "OpenAI Chat Completions" },
  { value: "gemini", label: "Google Gemini" },
];

export function vendorOf(provider: Provider): Vendor | undefined {
  return VENDORS.find((entry) => entry.vendor && entry.vendor === provider.options?.vendor);
}
