/** Where other programs find one's chats, and the token that lets them in. */

import { useState } from "react";
import { api } from "../api/client.ts";
import type { Token } from "../api/types.ts";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { TextField } from "../ui/Field.tsx";
import { useToasts } from "../ui/Toasts.tsx";
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
    about: "Any program or library that takes a base URL: chat completions, responses, conversations, files.",
    address: (origin) => `${origin}/v1`,
  },
  {
    name: "AI SDK",
    about: "useChat of the Vercel AI SDK, in a page of your own.",
    address: (origin) => `${origin}/ai/chat`,
  },
  {
    name: "AG-UI",
    about: "CopilotKit and other front ends that speak AG-UI. The last part is the model.",
    address: (origin) => `${origin}/ag-ui/{agent}`,
  },
  {
    name: "MCP",
    about: "Another agent has your chats as its tools, with every turn as a task.",
    address: (origin) => `${origin}/mcp`,
  },
  {
    name: "Agent Client Protocol",
    about: "Editors such as Zed start this command; it speaks on standard input and output.",
    address: (origin) => `perdure acp --url ${origin}`,
  },
  {
    name: "REST API",
    about: "Everything that this page does.",
    address: (origin) => `${origin}/api/v1`,
  },
];

export function Connect() {
  return (
    <>
      <Section
        title="Connect your tools"
        about="Use your chats from other programs. They are the same chats: what is said there is seen here."
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
      <CopyButton text={() => address} label={`Copy the address of ${face.name}`} />
    </li>
  );
}

function NewToken() {
  const { complain } = useToasts();
  const [name, setName] = useState("");
  const [made, setMade] = useState<Token | null>(null);
  const make = () =>
    void api.post<Token>("/tokens", { name: name.trim(), scopes: ["chat"] }).then((token) => {
      setMade(token);
      setName("");
    }, complain);
  return (
    <Section
      title="A token for them"
      about="It may do what you do in chats, and administers nothing. Take it back under API tokens."
    >
      <form
        className="filter-line"
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <TextField
          label="Name"
          placeholder="my editor"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button look="primary" type="submit" disabled={!name.trim()}>
          Create token
        </Button>
      </form>
      {made && (
        <section aria-label="The new token" className="stack">
          <Secret text={made.secret ?? ""} label="Copy token" />
          <p className="quiet small">
            Programs send it as <code>Authorization: Bearer</code>, or take it as their API key.
          </p>
        </section>
      )}
    </Section>
  );
}
