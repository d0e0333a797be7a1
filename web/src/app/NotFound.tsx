import { Compass } from "lucide-react";
import { useEffect } from "react";
import { Link } from "wouter";
import { t } from "../language/catalogue.ts";

/** An address that leads nowhere, and the way on. */
export function NotFound() {
  useEffect(() => {
    document.title = t("Page not found · Perdure");
  }, []);
  return (
    <div className="empty grow">
      <Compass aria-hidden />
      <h1>{t("Page not found")}</h1>
      <p>{t("There is nothing at this address. The link may be outdated or mistyped.")}</p>
      <Link href="/" className="button button-primary">
        {t("Go to your chats")}
      </Link>
    </div>
  );
}
