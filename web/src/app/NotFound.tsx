import { Compass } from "lucide-react";
import { useEffect } from "react";
import { Link } from "wouter";

/** An address that leads nowhere, and the way on. */
export function NotFound() {
  useEffect(() => {
    document.title = "Page not found · Perdure";
  }, []);
  return (
    <div className="empty">
      <Compass aria-hidden />
      <h1>Page not found</h1>
      <p>Nothing is at this address. The link may be old, or mistyped.</p>
      <Link href="/" className="button button-primary">
        Go to your chats
      </Link>
    </div>
  );
}
