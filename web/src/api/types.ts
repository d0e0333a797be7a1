/** The words of the wire, as the page reads them. The one place the rest of the page imports them from. */

import type { components } from "./generated.ts";
import type { Present } from "./operations.ts";

type Schemas = components["schemas"];

type Wire<Name extends keyof Schemas> = Present<Schemas[Name]>;

export type Status = Schemas["Status"];
export type Role = "system" | "user" | "assistant" | "tool";
export type Effort = Schemas["Effort"];
export type Busy = Schemas["Busy"];
export type ErrorKind = Schemas["ErrorKind"];
export type Media = Wire<"Media">;
export type Author = Wire<"Author">;

export type TextPart = Wire<"Text">;
export type ReasoningPart = Wire<"Reasoning">;
export type ToolCallPart = Wire<"ToolCall">;
export type ToolResultPart = Wire<"ToolResult">;
export type SourcePart = Wire<"Source">;
export type FilePart = Wire<"File">;
export type FileReferencePart = Wire<"FileReference">;
export type NoticePart = Wire<"NoticePart">;
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

export type Delta =
  | Wire<"TextDelta">
  | Wire<"ReasoningDelta">
  | Wire<"ToolCallDelta">
  | Wire<"ToolResultDelta">
  | Wire<"SourceDelta">
  | Wire<"FileDelta">
  | Wire<"NoticeDelta">;

export type Usage = NonNullable<Message["usage"]>;
export type Message = Wire<"Message">;
export type QueuedMessage = Wire<"QueuedMessage">;
export type PendingCall = Wire<"PendingCall">;
export type PendingAction = Wire<"PendingAction">;
export type ChatError = Wire<"ChatError">;
export type RetryState = Wire<"RetryState">;
/** A chat in a list may say where a search found it. */
export type ChatCard = Wire<"ChatCard"> & { snippet?: string; match?: Wire<"Match"> };

export type MessageEvent = Wire<"MessageEvent">;
export type MessagePartEvent = Wire<"MessagePart">;
export type ChatEvent =
  | MessageEvent
  | MessagePartEvent
  | Wire<"StatusEvent">
  | Wire<"QueueUpdate">
  | Wire<"RetryEvent">
  | Wire<"ErrorEvent">
  | Wire<"ActionRequired">
  | Wire<"PreviewReset">
  | Wire<"HistoryReset">
  | Wire<"ChatEvent">
  | Wire<"PresenceEvent">;

export type ChatPage = Wire<"ChatPage">;
export type ChatSettings = Wire<"ChatSettings">;
export type Sent = Wire<"Sent">;
export type Created = Wire<"Created">;
export type Model = Wire<"Model">;
export type LoginMethods = Wire<"LoginMethods">;
export type InboxEntry = Wire<"InboxEntry">;
export type StoredFile = Wire<"StoredFile">;
export type Provider = Wire<"Provider">;
export type Key = Wire<"Key">;
export type ModelSetting = Wire<"Setting">;
export type CatalogEntry = Wire<"CatalogEntry">;
export type User = Wire<"User">;
export type Group = Wire<"Group">;
export type LoginService = Wire<"LoginServiceView">;
export type Token = Wire<"NewToken"> | (Wire<"Token"> & { secret?: undefined });
export type Session = Wire<"Session">;
export type AuditEntry = Wire<"AuditEntry">;
export type Acl = Wire<"Acl">;
export type PersonOfChat = Wire<"PersonOfChat">;
export type PresentPerson = Wire<"PresentPerson">;
export type Approvers = Schemas["Approvers"];
export type Template = Wire<"TemplateCard">;
export type TemplateParameter = Wire<"Parameter">;
export type Workspace = Wire<"WorkspaceCard">;
export type Budget = Wire<"Budget">;
export type PersonBudget = Wire<"PersonBudget">;
export type Budgets = Wire<"Budgets">;
export type McpServer = Wire<"Server">;
export type McpTried = Wire<"Tried">;
export type DebugRun = Wire<"DebugRun">;
export type Schedule = Wire<"Schedule">;
export type ScheduleRun = Wire<"Run">;
export type Webhook = Wire<"Webhook">;
export type Memory = Wire<"Memory">;
export type Trigger = Wire<"Trigger">;
export type TriggerDelivery = Wire<"TriggerDelivery">;
export type Condition = Wire<"Condition">;
export type Outgoing = Wire<"Outgoing">;

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
export interface Branch {
  snapshot: number;
  after: number;
  messages: Message[];
}

export type UserRole = Schemas["PersonRole"];
/** Preferences are the page's own: the server keeps whatever it is given. */
export type Me = Omit<Wire<"Me">, "preferences"> & { preferences: Preferences };
export interface Preferences {
  model?: string;
  effort?: Effort;
  notifications?: boolean;
  [name: string]: unknown;
}

export type OpenPort = Wire<"OpenPort">;
export type FilesPreview = Wire<"FilesPreview">;
