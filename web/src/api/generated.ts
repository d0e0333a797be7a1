/** Generated from the server's OpenAPI document by scripts/types.mjs. Do not edit. */

export interface paths {
    "/chats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The chats that you may read: pinned ones first, then the newest, children inside their root. */
        get: operations["list_chats"];
        put?: never;
        /** Begin a chat with a message. The agent starts on it at once. */
        post: operations["create_chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A chat, what waits in its queue, what it asks for, and the cursor where a stream goes on. */
        get: operations["read_chat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename, label, pin, archive, mark as read, choose model, effort and tools. What is not named stays. */
        patch: operations["describe_chat"];
        trace?: never;
    };
    "/chats/{chat_id}/action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide about calls, raise a budget, or decline to. */
        post: operations["act"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The chats that this chat's agent started. */
        get: operations["list_children"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace what is old by a summary, now. */
        post: operations["compact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop. What the agent said so far is kept. */
        post: operations["interrupt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A page of the history. Without a cursor or with `before`: newest first; with `after` alone: oldest first. */
        get: operations["list_messages"];
        put?: never;
        /** Say something. An idle chat starts on it at once; a busy one queues it, is steered or interrupted by it. */
        post: operations["send_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/messages/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Say it differently: the message and all that followed give way to this one. */
        put: operations["edit_message"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was said to the agent in this chat, newest first. */
        get: operations["list_prompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Put the queue in another order. It names exactly the messages that are there. */
        put: operations["reorder_queue"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/queue/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change what a waiting message says. */
        put: operations["edit_queued"];
        post?: never;
        /** Take a message out of the queue. */
        delete: operations["delete_queued"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/queue/{number}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send it now: a chat at rest takes it at once, a busy one is interrupted for it. */
        post: operations["promote_queued"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lead a chat whose row makes no sense back to an error that you can leave. */
        post: operations["reconcile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Try the same history once more after an error. */
        post: operations["retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chats/{chat_id}/tool-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer the calls of your own tools. Names exactly those that are pending. */
        post: operations["tool_results"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a password. The session comes as a cookie. */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sign in with a link that works once, and go to the page. */
        get: operations["login_link"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How people can sign in here. */
        get: operations["login_methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the session that this request came with. */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Yourself, and the token that changes from a page must carry. */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change your name, preferences or password. A new password ends your other sessions. */
        patch: operations["change_me"];
        trace?: never;
    };
    "/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a chat may use, the default among it. */
        get: operations["list_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * ActionBody
         * @description Exactly one of the three: decisions about calls, a new limit, or declining to raise it.
         */
        ActionBody: {
            /** @default [] */
            decisions?: components["schemas"]["CallDecision"][];
            /** @default false */
            decline?: boolean;
            /** @default null */
            limit?: number | null;
        };
        /**
         * ActionKind
         * @enum {unknown}
         */
        ActionKind: "approval" | "budget" | "children" | "client_tool" | "outcome_unknown";
        /** ActionRequired */
        ActionRequired: {
            action: components["schemas"]["PendingAction"] | null;
            cursor: string;
            /** @enum {unknown} */
            type: "action_required";
        };
        /**
         * Busy
         * @description How to speak to a busy chat.
         * @enum {unknown}
         */
        Busy: "interrupt" | "queue" | "steer";
        /** CallDecision */
        CallDecision: {
            call_id: string;
            decision: components["schemas"]["Choice"];
            /** @default  */
            result?: string;
        };
        /**
         * ChatCard
         * @description A chat as lists and headers show it: its metadata and where it stands.
         */
        ChatCard: {
            /** @default null */
            action?: components["schemas"]["ActionKind"] | null;
            /** @default false */
            archived?: boolean;
            /** @default [] */
            children?: string[];
            /** @default false */
            context_dirty?: boolean;
            /** @default null */
            context_limit?: number | null;
            /** @default null */
            context_tokens?: number | null;
            /** @default 0 */
            cost?: number;
            created_at: string;
            /** @default null */
            diff?: components["schemas"]["DiffStatus"] | null;
            /** @default null */
            effort?: components["schemas"]["Effort"] | null;
            /** Format: uuid */
            id: string;
            /** @default {} */
            labels?: {
                [key: string]: string;
            };
            /** @default null */
            last_error?: components["schemas"]["ChatError"] | null;
            /** @default null */
            model?: string | null;
            /** Format: uuid */
            owner_id: string;
            /** @default null */
            parent_id?: string | null;
            /** @default 0 */
            pin?: number;
            /** @default false */
            plan_mode?: boolean;
            /** @default null */
            root_id?: string | null;
            /** @default false */
            shared?: boolean;
            status: components["schemas"]["Status"];
            /** @default null */
            summary?: string | null;
            title: string;
            /** @default null */
            turn_label?: string | null;
            /** @default 0 */
            unpriced_calls?: number;
            /** @default false */
            unread?: boolean;
            updated_at: string;
            /** @default false */
            waiting_for_capacity?: boolean;
            /** @default null */
            workspace_id?: string | null;
        };
        /**
         * ChatError
         * @description Why a chat stopped, in words for a person.
         */
        ChatError: {
            /** @default null */
            detail?: string | null;
            /** @default generic */
            kind?: components["schemas"]["ErrorKind"];
            message: string;
            /** @default null */
            provider?: string | null;
            /** @default false */
            retryable?: boolean;
            /** @default null */
            status_code?: number | null;
        };
        /** ChatEvent */
        ChatEvent: {
            chat: components["schemas"]["ChatCard"];
            cursor: string;
            /** @enum {unknown} */
            type: "chat";
        };
        /**
         * ChatPage
         * @description Root chats; `related` holds the cards of their descendants.
         */
        ChatPage: {
            items: components["schemas"]["ListedCard"][];
            /** @default null */
            next_cursor?: string | null;
            /** @default [] */
            related?: components["schemas"]["ChatCard"][];
        };
        /**
         * ChatView
         * @description A chat and everything that is open in it. `cursor` starts a stream right after this.
         */
        ChatView: {
            action: components["schemas"]["PendingAction"] | null;
            chat: components["schemas"]["ChatCard"];
            cursor: string;
            error: components["schemas"]["ChatError"] | null;
            queue: components["schemas"]["QueuedMessage"][];
            retry: components["schemas"]["RetryState"] | null;
        };
        /** Children */
        Children: {
            items: components["schemas"]["ChatCard"][];
        };
        /**
         * Choice
         * @enum {unknown}
         */
        Choice: "approve" | "approve_always" | "deny" | "happened" | "repeat" | "skip";
        /**
         * ClientTool
         * @description A tool that runs on the client's side. Without a schema it takes no parameters.
         */
        ClientTool: {
            /** @default  */
            description?: string;
            name: string;
            /** @default {} */
            schema?: Record<string, never>;
        };
        /** CreateBody */
        CreateBody: {
            /** @default null */
            budget_limit?: number | null;
            /** @default null */
            client_id?: string | null;
            /** @default null */
            client_tool_deadline_s?: number | null;
            /** @default [] */
            client_tools?: components["schemas"]["ClientTool"][];
            content: (components["schemas"]["TextContent"] | components["schemas"]["FileContent"] | components["schemas"]["FileReferenceContent"])[];
            /** @default null */
            effort?: components["schemas"]["Effort"] | null;
            /** @default {} */
            labels?: {
                [key: string]: string;
            };
            /** @default null */
            model?: string | null;
            /** @default false */
            plan_mode?: boolean;
            /** @default null */
            system_prompt?: string | null;
            /** @default null */
            title?: string | null;
            /** @default null */
            workspace?: components["schemas"]["WorkspaceWish"] | null;
            /** @default null */
            workspace_id?: string | null;
        };
        /** Created */
        Created: {
            chat: components["schemas"]["ChatCard"];
            cursor: string;
            /** @default null */
            message?: components["schemas"]["Message"] | null;
        };
        /**
         * DiffStatus
         * @description Where the workspace's repository stands.
         */
        DiffStatus: {
            /** @default 0 */
            added?: number;
            /** @default null */
            branch?: string | null;
            /** @default 0 */
            files?: number;
            /** @default null */
            origin?: string | null;
            /** @default null */
            pull_request_state?: string | null;
            /** @default null */
            pull_request_url?: string | null;
            /** @default 0 */
            removed?: number;
        };
        /** EditBody */
        EditBody: {
            /** @default null */
            client_id?: string | null;
            content: (components["schemas"]["TextContent"] | components["schemas"]["FileContent"] | components["schemas"]["FileReferenceContent"])[];
            /** @default null */
            effort?: components["schemas"]["Effort"] | null;
            /** @default null */
            model?: string | null;
        };
        /**
         * Effort
         * @description How hard a model thinks, weakest first.
         * @enum {unknown}
         */
        Effort: "high" | "low" | "max" | "medium" | "minimal" | "none" | "xhigh";
        /** ErrorEvent */
        ErrorEvent: {
            cursor: string;
            error: components["schemas"]["ChatError"] | null;
            /** @enum {unknown} */
            type: "error";
        };
        /**
         * ErrorKind
         * @enum {unknown}
         */
        ErrorKind: "auth" | "config" | "content_filter" | "context_overflow" | "generic" | "hook_denied" | "hook_dispatch_failed" | "missing_key" | "overloaded" | "provider_disabled" | "rate_limit" | "startup_timeout" | "stream_silence_timeout" | "timeout" | "usage_limit";
        Event: components["schemas"]["MessageEvent"] | components["schemas"]["MessagePart"] | components["schemas"]["StatusEvent"] | components["schemas"]["QueueUpdate"] | components["schemas"]["RetryEvent"] | components["schemas"]["ErrorEvent"] | components["schemas"]["ActionRequired"] | components["schemas"]["PreviewReset"] | components["schemas"]["HistoryReset"] | components["schemas"]["ChatEvent"];
        /** File */
        File: {
            file_id: string;
            media_type: string;
            name: string;
            /** @enum {unknown} */
            type: "file";
        };
        /**
         * FileContent
         * @description A file that was uploaded before. Name and type are what the upload said; what is sent here is ignored.
         */
        FileContent: {
            /** Format: uuid */
            file_id: string;
            /** @default  */
            media_type?: string;
            /** @default  */
            name?: string;
            /** @enum {unknown} */
            type: "file";
        };
        /** FileDelta */
        FileDelta: {
            /** @default  */
            file_id?: string;
            index: number;
            /** @default  */
            media_type?: string;
            /** @default  */
            name?: string;
            /** @enum {unknown} */
            type: "file";
        };
        /**
         * FileReference
         * @description Lines of a file that a person points at, with what they said then.
         */
        FileReference: {
            content: string;
            end_line: number;
            file_name: string;
            start_line: number;
            /** @enum {unknown} */
            type: "file_reference";
        };
        /** FileReferenceContent */
        FileReferenceContent: {
            content: string;
            end_line: number;
            file_name: string;
            start_line: number;
            /** @enum {unknown} */
            type: "file_reference";
        };
        /**
         * FinishReason
         * @enum {unknown}
         */
        FinishReason: "content_filter" | "interrupted" | "length" | "paused" | "stop" | "tool_calls";
        /**
         * HistoryReset
         * @description Forget the messages after this number; those up to it stay valid.
         */
        HistoryReset: {
            after: number;
            cursor: string;
            /** @enum {unknown} */
            type: "history_reset";
        };
        /**
         * Kind
         * @description Why a row is in the history. Only `ORDINARY` rows count as steps of the conversation.
         * @enum {unknown}
         */
        Kind: "boundary" | "compaction" | "context" | "hook" | "notice" | "ordinary";
        /** LinkQuery */
        LinkQuery: {
            token: string;
        };
        /**
         * ListedCard
         * @description A chat in a list, with where a search found it.
         */
        ListedCard: {
            /** @default null */
            action?: components["schemas"]["ActionKind"] | null;
            /** @default false */
            archived?: boolean;
            /** @default [] */
            children?: string[];
            /** @default false */
            context_dirty?: boolean;
            /** @default null */
            context_limit?: number | null;
            /** @default null */
            context_tokens?: number | null;
            /** @default 0 */
            cost?: number;
            created_at: string;
            /** @default null */
            diff?: components["schemas"]["DiffStatus"] | null;
            /** @default null */
            effort?: components["schemas"]["Effort"] | null;
            /** Format: uuid */
            id: string;
            /** @default {} */
            labels?: {
                [key: string]: string;
            };
            /** @default null */
            last_error?: components["schemas"]["ChatError"] | null;
            /** @default null */
            model?: string | null;
            /** Format: uuid */
            owner_id: string;
            /** @default null */
            parent_id?: string | null;
            /** @default 0 */
            pin?: number;
            /** @default false */
            plan_mode?: boolean;
            /** @default null */
            root_id?: string | null;
            /** @default false */
            shared?: boolean;
            /** @default null */
            snippet?: string | null;
            status: components["schemas"]["Status"];
            /** @default null */
            summary?: string | null;
            title: string;
            /** @default null */
            turn_label?: string | null;
            /** @default 0 */
            unpriced_calls?: number;
            /** @default false */
            unread?: boolean;
            updated_at: string;
            /** @default false */
            waiting_for_capacity?: boolean;
            /** @default null */
            workspace_id?: string | null;
        };
        /** ListQuery */
        ListQuery: {
            /** @default null */
            archived?: boolean | null;
            /** @default null */
            cursor?: string | null;
            /** @default null */
            label?: string | null;
            /** @default 50 */
            limit?: number;
            /** @default null */
            q?: string | null;
            /** @default null */
            shared?: boolean | null;
            /** @default null */
            unread?: boolean | null;
        };
        /** LoginBody */
        LoginBody: {
            email: string;
            password: string;
        };
        /** LoginMethods */
        LoginMethods: {
            first_run: boolean;
            oidc: components["schemas"]["LoginService"][];
            password: boolean;
        };
        /**
         * LoginService
         * @description A service that people can sign in with.
         */
        LoginService: {
            name: string;
            slug: string;
            url: string;
        };
        /** Me */
        Me: {
            csrf_token: string;
            email: string;
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            organisation_id: string;
            preferences: Record<string, never>;
            role: components["schemas"]["perdure.access.roles.Role"];
        };
        /** MeBody */
        MeBody: {
            name?: string;
            password?: string;
            preferences?: Record<string, never>;
        };
        /**
         * Media
         * @description A picture or document a tool hands back, kept as a file of the chat.
         */
        Media: {
            file_id: string;
            media_type: string;
            name: string;
        };
        /**
         * Message
         * @description A message in the history.
         */
        Message: {
            /** @default null */
            client_id?: string | null;
            /** @default null */
            context_limit?: number | null;
            /** @default null */
            cost?: number | null;
            created_at: string;
            /** @default null */
            created_by?: string | null;
            /** @default null */
            effort?: components["schemas"]["Effort"] | null;
            /** @default null */
            finish_reason?: components["schemas"]["FinishReason"] | null;
            /** @default ordinary */
            kind?: components["schemas"]["Kind"];
            /** @default null */
            model?: string | null;
            number: number;
            parts: (components["schemas"]["Text"] | components["schemas"]["Reasoning"] | components["schemas"]["ToolCall"] | components["schemas"]["ToolResult"] | components["schemas"]["Source"] | components["schemas"]["File"] | components["schemas"]["FileReference"] | components["schemas"]["Notice"])[];
            /** @default null */
            queued_as?: number | null;
            revision: number;
            role: components["schemas"]["perdure.core.message.Role"];
            /** @default null */
            runtime_ms?: number | null;
            /** @default null */
            usage?: components["schemas"]["Usage"] | null;
        };
        /** MessageEvent */
        MessageEvent: {
            cursor: string;
            message: components["schemas"]["Message"];
            /** @enum {unknown} */
            type: "message";
        };
        /**
         * MessagePage
         * @description Messages, newest first; oldest first where only `after` is given. The queue comes only without either.
         */
        MessagePage: {
            cursor: string;
            items: components["schemas"]["Message"][];
            /** @default null */
            queue?: components["schemas"]["QueuedMessage"][] | null;
        };
        /**
         * MessagePart
         * @description Pieces of the answer in flight. `seq_from` is set when several were merged: they end at `seq`.
         */
        MessagePart: {
            attempt: number;
            cursor: string;
            history_version: number;
            part: components["schemas"]["TextDelta"] | components["schemas"]["ReasoningDelta"] | components["schemas"]["ToolCallDelta"] | components["schemas"]["ToolResultDelta"] | components["schemas"]["SourceDelta"] | components["schemas"]["FileDelta"] | components["schemas"]["NoticeDelta"];
            role: components["schemas"]["perdure.core.message.Role"];
            seq: number;
            /** @default null */
            seq_from?: number | null;
            /** @enum {unknown} */
            type: "message_part";
        };
        /** MessagesQuery */
        MessagesQuery: {
            /** @default null */
            after?: number | null;
            /** @default null */
            before?: number | null;
            /** @default 50 */
            limit?: number;
        };
        /**
         * Model
         * @description A model that chats may use.
         */
        Model: {
            /** @default null */
            context_window?: number | null;
            default: boolean;
            dialect: string;
            display_name: string;
            /** @default [] */
            efforts?: components["schemas"]["Effort"][];
            enabled: boolean;
            /** @default true */
            images?: boolean;
            /** @default null */
            max_effort?: components["schemas"]["Effort"] | null;
            name: string;
            /** @default null */
            price?: components["schemas"]["Price"] | null;
            provider: string;
        };
        /** Models */
        Models: {
            items: components["schemas"]["Model"][];
        };
        /** Moved */
        Moved: {
            chat: components["schemas"]["ChatCard"];
        };
        /**
         * Nothing
         * @description A body that says nothing.
         */
        Nothing: Record<string, never>;
        /**
         * Notice
         * @description Something the system tells people. Never sent to a model.
         */
        Notice: {
            kind: string;
            text: string;
            /** @enum {unknown} */
            type: "notice";
        };
        /** NoticeDelta */
        NoticeDelta: {
            index: number;
            /** @default  */
            kind?: string;
            /** @default  */
            text?: string;
            /** @enum {unknown} */
            type: "notice";
        };
        /** OrderBody */
        OrderBody: {
            order: number[];
        };
        /**
         * PatchBody
         * @description What is not named stays as it is. Null clears a model or an effort, so that the default holds.
         */
        PatchBody: {
            approvals?: {
                [key: string]: string;
            };
            archived?: boolean;
            client_tools?: components["schemas"]["ClientTool"][];
            effort?: components["schemas"]["Effort"] | null;
            labels?: {
                [key: string]: string;
            };
            mcp_servers?: string[];
            model?: string | null;
            pin?: number;
            plan_mode?: boolean;
            read?: number;
            title?: string;
            /** Format: uuid */
            workspace_id?: string;
        };
        /**
         * PendingAction
         * @description What a parked chat asks for.
         */
        PendingAction: {
            /** @default [] */
            calls?: components["schemas"]["PendingCall"][];
            /** @default [] */
            children?: string[];
            /** @default null */
            deadline_at?: string | null;
            kind: components["schemas"]["ActionKind"];
            /** @default null */
            limit?: number | null;
            /** @default null */
            spent?: number | null;
        };
        /**
         * PendingCall
         * @description A call that somebody must answer or decide about.
         */
        PendingCall: {
            args: string;
            call_id: string;
            tool: string;
        };
        /**
         * Role
         * @enum {unknown}
         */
        "perdure.access.roles.Role": "admin" | "auditor" | "member" | "owner";
        /**
         * Role
         * @enum {unknown}
         */
        "perdure.core.message.Role": "assistant" | "system" | "tool" | "user";
        /**
         * PreviewReset
         * @description Forget the parts that are not committed.
         */
        PreviewReset: {
            cursor: string;
            /** @enum {unknown} */
            type: "preview_reset";
        };
        /**
         * Price
         * @description Micro-dollars per million tokens.
         */
        Price: {
            /** @default null */
            cache_read?: number | null;
            /** @default null */
            cache_write?: number | null;
            /** @default 0 */
            input?: number;
            /** @default 0 */
            output?: number;
        };
        /**
         * Problem
         * @description What went wrong, in words for a person.
         */
        Problem: {
            /** @default null */
            detail?: string | null;
            /** @default null */
            kind?: components["schemas"]["ErrorKind"] | null;
            message: string;
            /** @default [] */
            validations?: components["schemas"]["Validation"][];
        };
        /** Prompts */
        Prompts: {
            items: components["schemas"]["PromptText"][];
        };
        /** PromptsQuery */
        PromptsQuery: {
            /** @default 500 */
            limit?: number;
        };
        /** PromptText */
        PromptText: {
            created_at: string;
            number: number;
            text: string;
        };
        /**
         * ProviderMetadata
         * @description What only the model that produced a part can read: signatures, encrypted content. Never sent to clients.
         */
        ProviderMetadata: {
            data: Record<string, never>;
            dialect: string;
            model: string;
        };
        /** QueuedEditBody */
        QueuedEditBody: {
            content: (components["schemas"]["TextContent"] | components["schemas"]["FileContent"] | components["schemas"]["FileReferenceContent"])[];
        };
        /**
         * QueuedMessage
         * @description A message that waits for its turn.
         */
        QueuedMessage: {
            /** @default null */
            client_id?: string | null;
            created_at: string;
            /** @default null */
            created_by?: string | null;
            /** @default null */
            effort?: components["schemas"]["Effort"] | null;
            /** @default null */
            model?: string | null;
            number: number;
            parts: (components["schemas"]["Text"] | components["schemas"]["Reasoning"] | components["schemas"]["ToolCall"] | components["schemas"]["ToolResult"] | components["schemas"]["Source"] | components["schemas"]["File"] | components["schemas"]["FileReference"] | components["schemas"]["Notice"])[];
            /** @default false */
            steer?: boolean;
        };
        /** QueueUpdate */
        QueueUpdate: {
            cursor: string;
            queue: components["schemas"]["QueuedMessage"][];
            /** @enum {unknown} */
            type: "queue_update";
        };
        /** Reasoning */
        Reasoning: {
            /** @default null */
            completed_at?: string | null;
            /** @default null */
            started_at?: string | null;
            text: string;
            /** @enum {unknown} */
            type: "reasoning";
        };
        /**
         * ReasoningDelta
         * @description More reasoning. Metadata given once stays, whatever later pieces say.
         */
        ReasoningDelta: {
            /** @default null */
            completed_at?: string | null;
            index: number;
            /** @default null */
            started_at?: string | null;
            /** @default  */
            text?: string;
            /** @enum {unknown} */
            type: "reasoning";
        };
        /** RetryEvent */
        RetryEvent: {
            cursor: string;
            retry: components["schemas"]["RetryState"] | null;
            /** @enum {unknown} */
            type: "retry";
        };
        /**
         * RetryState
         * @description That a turn is about to try again: what clients need for "Retrying in 4 s".
         */
        RetryState: {
            attempt: number;
            delay_ms: number;
            error: string;
            kind: components["schemas"]["ErrorKind"];
            /** @default null */
            provider?: string | null;
            retrying_at: string;
            /** @default null */
            status_code?: number | null;
        };
        /** SendBody */
        SendBody: {
            /** @default queue */
            busy?: components["schemas"]["Busy"];
            /** @default null */
            client_id?: string | null;
            content: (components["schemas"]["TextContent"] | components["schemas"]["FileContent"] | components["schemas"]["FileReferenceContent"])[];
            /** @default null */
            effort?: components["schemas"]["Effort"] | null;
            /** @default null */
            model?: string | null;
            /** @default null */
            plan_mode?: boolean | null;
            /** @default null */
            turn?: number | null;
        };
        /**
         * Sent
         * @description Where a message went: into the history, or into the queue.
         */
        Sent: {
            chat: components["schemas"]["ChatCard"];
            /** @default null */
            message?: components["schemas"]["Message"] | null;
            /** @default null */
            queued?: components["schemas"]["QueuedMessage"] | null;
        };
        /**
         * Source
         * @description A page the model consulted. For people; never sent back to a model.
         */
        Source: {
            id: string;
            /** @default  */
            title?: string;
            /** @enum {unknown} */
            type: "source";
            url: string;
        };
        /** SourceDelta */
        SourceDelta: {
            /** @default  */
            id?: string;
            index: number;
            /** @default  */
            title?: string;
            /** @enum {unknown} */
            type: "source";
            /** @default  */
            url?: string;
        };
        /**
         * Status
         * @enum {unknown}
         */
        Status: "error" | "interrupting" | "requires_action" | "running" | "waiting";
        /** StatusEvent */
        StatusEvent: {
            cursor: string;
            status: components["schemas"]["Status"];
            /** @enum {unknown} */
            type: "status";
        };
        /** Text */
        Text: {
            text: string;
            /** @enum {unknown} */
            type: "text";
        };
        /** TextContent */
        TextContent: {
            text: string;
            /** @enum {unknown} */
            type: "text";
        };
        /** TextDelta */
        TextDelta: {
            index: number;
            /** @default  */
            text?: string;
            /** @enum {unknown} */
            type: "text";
        };
        /**
         * ToolCall
         * @description A request for a tool. `args` is the JSON text exactly as the model wrote it, valid or not.
         */
        ToolCall: {
            args: string;
            call_id: string;
            /** @default null */
            created_at?: string | null;
            /** @default null */
            mcp_server_id?: string | null;
            /** @default false */
            provider_executed?: boolean;
            /** @default false */
            rewritten?: boolean;
            tool: string;
            /** @enum {unknown} */
            type: "tool_call";
        };
        /**
         * ToolCallDelta
         * @description More of a call. Id and name come with the piece that opens it.
         */
        ToolCallDelta: {
            /** @default  */
            args_delta?: string;
            /** @default  */
            call_id?: string;
            /** @default null */
            created_at?: string | null;
            index: number;
            /** @default false */
            provider_executed?: boolean;
            /** @default  */
            tool?: string;
            /** @enum {unknown} */
            type: "tool_call";
        };
        /** ToolOutput */
        ToolOutput: {
            call_id: string;
            /** @default false */
            is_error?: boolean;
            output: unknown;
        };
        /**
         * ToolResult
         * @description A tool's answer. `result` is the text the model reads: plain, or JSON where the tool is structured.
         */
        ToolResult: {
            call_id: string;
            /** @default null */
            created_at?: string | null;
            /** @default false */
            is_error?: boolean;
            /** @default [] */
            media?: components["schemas"]["Media"][];
            /** @default false */
            provider_executed?: boolean;
            result: string;
            tool: string;
            /** @enum {unknown} */
            type: "tool_result";
        };
        /**
         * ToolResultDelta
         * @description More of a result. `result_reset` forgets what came before it; `done` says that this is all.
         */
        ToolResultDelta: {
            /** @default  */
            call_id?: string;
            /** @default null */
            created_at?: string | null;
            /** @default false */
            done?: boolean;
            index: number;
            /** @default false */
            is_error?: boolean;
            /** @default [] */
            media?: components["schemas"]["Media"][];
            /** @default false */
            provider_executed?: boolean;
            /** @default  */
            result_delta?: string;
            /** @default false */
            result_reset?: boolean;
            /** @default  */
            tool?: string;
            /** @enum {unknown} */
            type: "tool_result";
        };
        /** ToolResultsBody */
        ToolResultsBody: {
            results: components["schemas"]["ToolOutput"][];
        };
        /** TurnBody */
        TurnBody: {
            /** @default null */
            turn?: number | null;
        };
        /**
         * Usage
         * @description Tokens as the provider counts them. `input` includes what was read from or written to its cache.
         */
        Usage: {
            /** @default 0 */
            cache_read?: number;
            /** @default 0 */
            cache_write?: number;
            /** @default 0 */
            input?: number;
            /** @default 0 */
            output?: number;
            /** @default 0 */
            reasoning?: number;
        };
        /**
         * Validation
         * @description One thing wrong with an input, and where.
         */
        Validation: {
            detail: string;
            field: string;
        };
        /**
         * Visibility
         * @description Who reads a message: people and models, only people, or only models.
         * @enum {unknown}
         */
        Visibility: "both" | "model" | "user";
        /**
         * WorkspaceWish
         * @description A workspace to be made for the chat.
         */
        WorkspaceWish: {
            /** @default {} */
            parameters?: Record<string, never>;
            template: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_chats: {
        parameters: {
            query?: {
                archived?: boolean | null;
                cursor?: string | null;
                label?: string | null;
                limit?: number;
                q?: string | null;
                shared?: boolean | null;
                unread?: boolean | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatPage"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_chat: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": [
                 *         {
                 *           "type": "text",
                 *           "text": "List the files, please."
                 *         }
                 *       ],
                 *       "labels": {
                 *         "team": "docs"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Created"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_chat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatView"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    describe_chat: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Files of the project",
                 *       "pin": 1
                 *     }
                 */
                "application/json": components["schemas"]["PatchBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    act: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decisions": [
                 *         {
                 *           "call_id": "call_1",
                 *           "decision": "approve"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ActionBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_children: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Children"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compact: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    interrupt: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["TurnBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_messages: {
        parameters: {
            query?: {
                after?: number | null;
                before?: number | null;
                limit?: number;
            };
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    send_message: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": [
                 *         {
                 *           "type": "text",
                 *           "text": "List the files, please."
                 *         }
                 *       ],
                 *       "busy": "queue"
                 *     }
                 */
                "application/json": components["schemas"]["SendBody"];
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sent"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    edit_message: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": [
                 *         {
                 *           "type": "text",
                 *           "text": "List the files, please."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EditBody"];
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sent"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_prompts: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prompts"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reorder_queue: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "order": [
                 *         2,
                 *         1
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OrderBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    edit_queued: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": [
                 *         {
                 *           "type": "text",
                 *           "text": "List the files, please."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["QueuedEditBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_queued: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    promote_queued: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["TurnBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reconcile: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retry: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_results: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "results": [
                 *         {
                 *           "call_id": "call_1",
                 *           "output": {
                 *             "temperature": 21
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ToolResultsBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["LoginBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    login_link: {
        parameters: {
            query: {
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    login_methods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginMethods"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_me: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada",
                 *       "preferences": {
                 *         "theme": "dark"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of things does not allow this now. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Idempotency-Key was used for another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too much or too often. Retry-After says when to come back. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A model's API failed. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Models"];
                };
            };
            /** @description What was sent does not fit; the validations name the places. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody knows who asks. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not visible to the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The address does not take this method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Something we depend on is away. Try again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
