import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { api } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import { t } from "../language/catalogue.ts";
import { Loading } from "../ui/Loading.tsx";

/** Where a link to a chat leads: to the chat, or to the reason why not. */
export function SharedChat({ link }: { link: string }) {
  const [, go] = useLocation();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    api.post(`/links/${encodeURIComponent(link)}`).then(
      ({ chat_id }) => go(`/chats/${chat_id}`, { replace: true }),
      (error: unknown) => setProblem(reasonOf(error)),
    );
  }, [link, go]);
  if (!problem) return <Loading />;
  return (
    <div className="empty grow">
      <h1>{t("This chat cannot be opened")}</h1>
      <p role="alert">{problem}</p>
      <Link href="/" className="button button-plain">
        {t("Go to your chats")}
      </Link>
    </div>
  );
}
