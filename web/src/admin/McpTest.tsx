import { Zap } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import { reasonOf } from "../api/errors.ts";
import type { McpServer, McpTried } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { duration } from "../ui/format.ts";

type Test = { phase: "untested" } | { phase: "testing" } | { phase: "answered"; answer: McpTried };

/** Connect to a server now, and show which tools chats would get. */
export function McpTest({ server }: { server: McpServer }) {
  const [test, setTest] = useState<Test>({ phase: "untested" });
  const tryIt = async () => {
    setTest({ phase: "testing" });
    const answer = await api
      .post(`/mcp-servers/${server.id}/test`)
      .catch((error: unknown) => ({ ok: false, message: reasonOf(error), latency_ms: 0 }));
    setTest({ phase: "answered", answer });
  };
  return (
    <>
      <Button small disabled={test.phase === "testing"} onClick={() => void tryIt()}>
        <Zap /> {t("Test")}
      </Button>
      {test.phase === "answered" && (
        <Dialog title={server.name || server.slug} onClose={() => setTest({ phase: "untested" })}>
          <Answer answer={test.answer} />
        </Dialog>
      )}
    </>
  );
}

function Answer({ answer }: { answer: McpTried }) {
  if (!answer.ok) {
    return (
      <p className="field-error" role="alert">
        {answer.message}
      </p>
    );
  }
  return (
    <div className="stack">
      <p role="status">
        <span className="pill pill-good">
          {t("works, {latency_ms}", { latency_ms: duration(answer.latency_ms) })}
        </span>
      </p>
      <ul className="rows">
        {(answer.tools ?? []).map((tool) => (
          <li key={tool.name}>
            <code>{tool.full_name}</code>
            <div className="quiet small">{tool.left_out || tool.description}</div>
          </li>
        ))}
      </ul>
    </div>
  );
}
