import type { ElementContent, Root } from "hast";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { highlight } from "./highlight.ts";

/** Code in colours as soon as its language is loaded; plain until then, with the same layout. */
export function Colored({ code, language }: { code: string; language: string | null }) {
  const [tree, setTree] = useState<{ code: string; root: Root } | null>(null);
  useEffect(() => {
    let current = true;
    if (language) void highlight(code, language).then((root) => current && root && setTree({ code, root }));
    return () => {
      current = false;
    };
  }, [code, language]);
  return tree && tree.code === code ? nodes(tree.root.children as ElementContent[]) : code;
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
