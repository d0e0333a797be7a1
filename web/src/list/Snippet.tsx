/** What a search found. The server puts ** around each word that matched. */
export function Snippet({ text }: { text: string }) {
  return text.split("**").map((piece, at) => (at % 2 ? <mark key={at}>{piece}</mark> : piece));
}
