/** Numbers and times as the spoken language writes them. */

import { locale, t } from "../language/catalogue.ts";

const numbers = new Map<string, Intl.NumberFormat>();

/** Making a format costs more than using it. */
function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const known = numbers.get(key) ?? new Intl.NumberFormat(locale(), options);
  numbers.set(key, known);
  return known;
}

export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return numberFormat(options).format(value);
}

export function percent(share: number): string {
  return number(share, { style: "percent" });
}

function unit(value: number, name: string, digits = 0): string {
  return number(value, {
    style: "unit",
    unit: name,
    unitDisplay: "narrow",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function duration(ms: number): string {
  if (ms < 1_000) return unit(ms, "millisecond");
  const seconds = ms / 1_000;
  if (seconds < 10) return unit(seconds, "second", 1);
  if (seconds < 60) return unit(seconds, "second");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${unit(minutes, "minute")} ${unit(Math.floor(seconds % 60), "second")}`;
  return `${unit(Math.floor(minutes / 60), "hour")} ${unit(minutes % 60, "minute")}`;
}

/** A time that goes on, in whole seconds. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return seconds < 60 ? unit(seconds, "second") : duration(seconds * 1_000);
}

/** Micro-dollars as dollars, with as many digits as the amount deserves. */
export function money(micro: number): string {
  const dollars = micro / 1_000_000;
  const digits = dollars === 0 ? 0 : dollars < 0.01 ? 4 : 2;
  return number(dollars, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function tokens(count: number): string {
  const digits = count < 10_000 || count >= 1_000_000 ? 1 : 0;
  return number(count, { notation: "compact", maximumFractionDigits: digits });
}

export function bytes(count: number): string {
  if (count < 1_024) return unit(count, "byte");
  if (count < 1_048_576) return unit(count / 1_024, "kilobyte");
  return unit(count / 1_048_576, "megabyte", 1);
}

export function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString(locale(), { timeStyle: "short" });
}

export function fullTime(at: string): string {
  return new Date(at).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
}

/** When it will be, as the clock on the wall of a zone shows it. */
export function wallTime(at: string, timeZone: string): string {
  return new Date(at).toLocaleString(locale(), {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone,
    timeZoneName: "short",
  });
}

const SHORT_DAY = { month: "short", day: "numeric" } as const;

/** A calendar day, "2026-06-03", as people write it. */
export function dayName(day: string): string {
  const date = new Date(`${day}T00:00`);
  return Number.isNaN(date.getTime()) ? day : date.toLocaleDateString(locale(), SHORT_DAY);
}

/** The time, and the day where it is another one. */
export function momentOf(at: string, now = new Date()): string {
  const then = new Date(at);
  if (then.toDateString() === now.toDateString()) return clockTime(at);
  return then.toLocaleString(locale(), { ...SHORT_DAY, hour: "numeric", minute: "2-digit" });
}

/** "now", "5m", "3h", then the date. */
export function ago(at: string, now = Date.now()): string {
  const seconds = (now - Date.parse(at)) / 1_000;
  if (seconds < 60) return t("now");
  if (seconds < 3_600) return unit(Math.floor(seconds / 60), "minute");
  if (seconds < 86_400) return unit(Math.floor(seconds / 3_600), "hour");
  return new Date(at).toLocaleDateString(locale(), SHORT_DAY);
}

/** The same within a sentence: "just now", "5 minutes ago", "on Jun 3". */
export function since(at: string, now = Date.now()): string {
  const seconds = (now - Date.parse(at)) / 1_000;
  if (seconds < 60) return t("just now");
  if (seconds >= 86_400) return t("on {day}", { day: ago(at, now) });
  const words = new Intl.RelativeTimeFormat(locale());
  return seconds < 3_600
    ? words.format(-Math.floor(seconds / 60), "minute")
    : words.format(-Math.floor(seconds / 3_600), "hour");
}

export type Day = "Today" | "Yesterday" | "Last 7 days" | "Last 30 days" | "Older";

export function dayOf(at: string, now = new Date()): Day {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const time = Date.parse(at);
  const day = 86_400_000;
  if (time >= midnight) return "Today";
  if (time >= midnight - day) return "Yesterday";
  if (time >= midnight - 7 * day) return "Last 7 days";
  return time >= midnight - 30 * day ? "Last 30 days" : "Older";
}
