/** What an endpoint says when it refuses, as something the page can show. */

import { t } from "../language/catalogue.ts";

export interface Validation {
  field: string;
  detail: string;
}

/** `status` 0 means that the server could not be reached at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly detail?: string;
  readonly kind?: string;
  readonly validations: Validation[];

  constructor(
    status: number,
    body: { message?: string; detail?: string; kind?: string; validations?: Validation[] },
  ) {
    super(
      body.message ??
        (status === 0 ? t("The server cannot be reached.") : t("The server answered {status}.", { status })),
    );
    this.status = status;
    this.detail = body.detail;
    this.kind = body.kind;
    this.validations = body.validations ?? [];
  }
}

/** One sentence for a person, whatever was thrown. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError) {
    const fields = error.validations.map((entry) => `${entry.field}: ${entry.detail}`).join("; ");
    return [error.message, error.detail, fields].filter(Boolean).join(" — ");
  }
  return error instanceof Error ? error.message : String(error);
}

/** Whether the server could not be reached, or what stands before it says so. The same request may pass later. */
export function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
