/** Numbers and times in words people read. */

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time that goes on, in whole seconds. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
}

/** Micro-dollars as dollars, with as many digits as the amount deserves. */
export function money(micro: number): string {
  const dollars = micro / 1_000_000;
  if (dollars === 0) return "$0";
  if (dollars < 0.01) return `$${dollars.toFixed(4)}`;
  return `$${dollars.toFixed(2)}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)}k`;
  return `${Number((count / 1_000_000).toFixed(1))}M`;
}

export function bytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  if (count < 1_048_576) return `${Math.round(count / 1_024)} KB`;
  return `${(count / 1_048_576).toFixed(1)} MB`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { timeStyle: "short" });
}

export function fullTime(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** A calendar day, "2026-06-03", as people write it. */
export function dayName(day: string): string {
  const date = new Date(`${day}T00:00`);
  return Number.isNaN(date.getTime())
    ? day
    : date.toLocaleDateString(undefined, { month: "short", day: "numeric" });
}

/** The time, and the day where it is another one. */
export function momentOf(at: string, now = new Date()): string {
  const then = new Date(at);
  if (then.toDateString() === now.toDateString()) return clockTime(at);
  return then.toLocaleString(undefined, {
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });
}

/** "now", "5 min, "3 h", then the date. */
export function ago(at: string, now = Date.now()): string {
  const seconds = (now - Date.parse(at)) / 1_000;
  if (seconds < 60) return "now";
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return new Date(at).toLocaleDateString(undefined, { month: "short", day: "numeric" });
}

/** The same within a sentence: "just now", "5 min ago", "on Jun 3". */
export function since(at: string, now = Date.now()): string {
  const words = ago(at, now);
  if (words === "now") return "just now";
  return now - Date.parse(at) < 86_400_000 ? `${words} ago` : `on ${words}`;
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
