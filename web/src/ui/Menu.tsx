/** A button that opens a menu: arrows move, letters find, Escape goes back to the button. */

import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { mirrored } from "../language/catalogue.ts";

interface Props {
  label: string;
  /** What the button shows: an icon, */
  button?: ReactNode;
  /** or words, which are read after the label. */
  words?: ReactNode;
  className?: string;
  children: (close: () => void) => ReactNode;
  align?: "start" | "end";
  /** Where a right click opens it as well. */
  area?: RefObject<HTMLElement | null>;
}

export function Menu({
  label,
  button,
  words,
  className = "button button-ghost",
  children,
  align = "start",
  area,
}: Props) {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();
  /** Where it was asked for with the pointer. */
  const point = useRef<DOMRect | null>(null);
  useEffect(() => {
    const place = area?.current;
    if (!place) return;
    const show = (event: MouseEvent) => {
      event.preventDefault();
      point.current = new DOMRect(event.clientX, event.clientY, 0, 0);
      menu.current?.showPopover();
    };
    place.addEventListener("contextmenu", show);
    return () => place.removeEventListener("contextmenu", show);
  }, [area]);
  const close = () => {
    menu.current?.hidePopover();
    opener.current?.focus();
  };
  return (
    <>
      <button
        type="button"
        ref={opener}
        className={className}
        aria-label={words ? undefined : label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        popoverTarget={id}
      >
        {words && <span className="only-spoken">{label}: </span>}
        {words ?? button}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className="menu"
        tabIndex={-1}
        onKeyDown={(event) => move(event, menu.current)}
        onToggle={(event) => {
          const now = event.newState === "open";
          setOpen(now);
          if (now && opener.current)
            placeAndFocus(point.current ?? opener.current.getBoundingClientRect(), menu.current, align);
          else point.current = null;
        }}
      >
        {open && children(close)}
      </div>
    </>
  );
}

function placeAndFocus(at: DOMRect, menu: HTMLElement | null, align: "start" | "end"): void {
  // The items render right after this event; the next frame knows their size.
  requestAnimationFrame(() => {
    if (!menu) return;
    const { width, height } = menu.getBoundingClientRect();
    const atLeft = (align === "start") !== mirrored();
    const left = atLeft || at.width === 0 ? at.left : at.right - width;
    const below = at.bottom + 6;
    const fits = below + height < innerHeight - 8 || at.top < innerHeight / 2;
    menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    menu.style.top = `${Math.max(8, fits ? below : at.top - height - 6)}px`;
    const items = itemsOf(menu);
    // What comes above the entries is not what a menu is opened for.
    (items.find((item) => item.dataset.first !== undefined) ?? items[0])?.focus();
  });
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)')];
}

function move(event: KeyboardEvent, menu: HTMLElement | null): void {
  if (!menu || event.target instanceof HTMLInputElement) return;
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (next !== undefined) {
    event.preventDefault();
    items.at(next % items.length)?.focus();
  } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
    const rest = [...items.slice(at + 1), ...items];
    rest.find((item) => item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
  }
}

interface ItemProps {
  onSelect: () => void;
  icon?: ReactNode;
  hint?: string;
  /** A second line, for what the first does not say. */
  about?: string;
  danger?: boolean;
  checked?: boolean;
  children: ReactNode;
}

export function MenuItem({ onSelect, icon, hint, about, danger, checked, children }: ItemProps) {
  const choice = checked !== undefined;
  return (
    <button
      type="button"
      role={choice ? "menuitemradio" : "menuitem"}
      aria-checked={checked}
      tabIndex={-1}
      className={`menu-item ${danger ? "menu-item-danger" : ""}`}
      onClick={onSelect}
    >
      {icon}
      <span className="menu-words">
        <span className="truncate">{children}</span>
        {about && <span className="menu-about">{about}</span>}
      </span>
      {hint && <span className="hint">{hint}</span>}
      {checked && (
        <span className="hint" aria-hidden>
          ✓
        </span>
      )}
    </button>
  );
}
