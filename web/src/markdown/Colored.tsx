import type { ElementContent, Root } from "hast";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { highlight, highlighted } from "./highlight.ts";
import { whenIdle } from "./idle.ts";

interface Painted {
  code: string;
  root: Root;
}

/** Code in colours as soon as its language is loaded and nothing else is to be done; the same layout before that. */
export function Colored({ code, language }: { code: string; language: string | null }) {
  const [painted, setPainted] = useState<Painted | null>(() => known(code, language));
  const done = painted?.code === code;
  useEffect(() => {
    if (!language || done) return;
    let current = true;
    const cancel = whenIdle(() => {
      void highlight(code, language).then((root) => current && root && setPainted({ code, root }));
    });
    return () => {
      current = false;
      cancel();
    };
  }, [code, language, done]);
  return done && painted ? nodes(painted.root.children as ElementContent[]) : code;
}

function known(code: string, language: string | null): Painted | null {
  const root = language ? highlighted(code, language) : undefined;
  return root ? { code, root } : null;
}

export function nodes(children: readonly ElementContent[]): ReactNode {
  return children.map((child, at) => {
    if (child.type === "text") return <Fragment key={at}>{child.value}</Fragment>;
    if (child.type !== "element") return null;
    const names = child.properties.className;
    return (
      <span key={at} className={Array.isArray(names) ? names.join(" ") : undefined}>
        {nodes(child.children)}
      </span>
    );
  });
}
