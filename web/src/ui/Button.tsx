import type { ButtonHTMLAttributes, ReactNode } from "react";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "primary" | "plain" | "ghost" | "danger";
  small?: boolean;
  /** The name of a button that shows only an icon. */
  label?: string;
  children: ReactNode;
}

export function Button({ look = "plain", small, label, className = "", children, ...rest }: Props) {
  const classes = ["button", `button-${look}`, small && "button-small", label && "button-icon", className];
  return (
    <button
      type="button"
      {...rest}
      className={classes.filter(Boolean).join(" ")}
      aria-label={label}
      title={rest.title ?? label}
    >
      {children}
    </button>
  );
}
