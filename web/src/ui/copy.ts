/** Putting a text where it can be pasted from. */

/** Whether that worked. */
export async function copy(text: string): Promise<boolean> {
  // Browsers give their clipboard only to pages that came over TLS or from this machine.
  if (!navigator.clipboard) return copyFromBox(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyFromBox(text),
  );
}

function copyFromBox(text: string): boolean {
  const focused = document.activeElement;
  const box = document.createElement("textarea");
  box.value = text;
  box.style.position = "fixed";
  box.style.opacity = "0";
  // Beside what has the focus: outside of a dialog nothing can be selected while it is open.
  (focused?.parentElement ?? document.body).append(box);
  box.select();
  const copied = document.execCommand("copy");
  box.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}
