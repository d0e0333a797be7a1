/** Where other programs find one's chats, and the token that lets them in. */

import { useState } from "react";
import { api } from "../api/client.ts";
import type { Token } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { Filled, hole } from "../language/Filled.tsx";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { TextField } from "../ui/Field.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { LetIn } from "./LetIn.tsx";
import { Secret } from "./Secret.tsx";
import { Section } from "./Section.tsx";

interface Face {
  name: string;
  /** Who speaks it. */
  about: string;
  address: (origin: string) => string;
}

const FACES: Face[] = [
  {
    name: "OpenAI API",
    about: t(
      "Any program or library that takes a base URL: chat completions, responses, conversations, files.",
    ),
    address: (origin) => `${origin}/v1`,
  },
  {
    name: "AI SDK",
    about: t("useChat of the Vercel AI SDK, in an app of your own."),
    address: (origin) => `${origin}/ai/chat`,
  },
  {
    name: "AG-UI",
    about: t("CopilotKit and other front ends that speak AG-UI. The last part is the model."),
    address: (origin) => `${origin}/ag-ui/{agent}`,
  },
  {
    name: "MCP",
    about: t("Gives another agent your chats as tools; every turn is a task."),
    address: (origin) => `${origin}/mcp`,
  },
  {
    name: "A2A",
    about: t("Agents that speak A2A find yours by this card and give it tasks."),
    address: (origin) => `${origin}/.well-known/agent-card.json`,
  },
  {
    name: "Agent Client Protocol",
    about: t("Editors such as Zed start this command; it speaks on standard input and output."),
    address: (origin) => `perdure acp --url ${origin}`,
  },
  {
    name: "REST API",
    about: t("Everything this page can do."),
    address: (origin) => `${origin}/api/v1`,
  },
];

export function Connect() {
  return (
    <>
      <LetIn />
      <Section
        title={t("Connect your tools")}
        about={t(
          "Use your chats from other programs. They are the same chats: messages sent there appear here.",
        )}
      >
        <ul className="rows">
          {FACES.map((face) => (
            <FaceRow key={face.name} face={face} address={face.address(location.origin)} />
          ))}
        </ul>
      </Section>
      <NewToken />
    </>
  );
}

function FaceRow({ face, address }: { face: Face; address: string }) {
  return (
    <li className="card row-card">
      <div className="grow">
        <strong>{face.name}</strong>
        <div className="quiet small">{face.about}</div>
        <code className="address">{address}</code>
      </div>
      <CopyButton text={() => address} label={t("Copy the address of {name}", { name: face.name })} />
    </li>
  );
}

function NewToken() {
  const { complain } = useToasts();
  const [name, setName] = useState("");
  const [made, setMade] = useState<Token | null>(null);
  const make = () =>
    void api.post("/tokens", { name: name.trim(), scopes: ["chat"] }).then((token) => {
      setMade(token);
      setName("");
    }, complain);
  return (
    <Section
      title={t("A token for these programs")}
      about={t(
        "It can do what you can do in chats, and nothing in Administration. Revoke it under API tokens.",
      )}
    >
      <form
        className="filter-line"
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <TextField
          label={t("Name")}
          placeholder={t("my editor")}
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button look="primary" type="submit" disabled={!name.trim()}>
          {t("Create token")}
        </Button>
      </form>
      {made && (
        <section aria-label={t("The new token")} className="stack">
          <Secret text={made.secret ?? ""} label={t("Copy token")} />
          <p className="quiet small">
            <Filled
              text={t("Programs send it as {header}, or take it as their API key.", hole("header"))}
              header={<code>Authorization: Bearer</code>}
            />
          </p>
        </section>
      )}
    </Section>
  );
}
