/** Which addresses a link may have. */

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address, or null for what could run code or is no address at all. */
export function safeAddress(href: string): string | null {
  try {
    const address = new URL(href, "https://relative.invalid");
    if (!ALLOWED.has(address.protocol)) return null;
    return address.host === "relative.invalid" && !href.startsWith("#") && !href.startsWith("/")
      ? null
      : href;
  } catch {
    return null;
  }
}
