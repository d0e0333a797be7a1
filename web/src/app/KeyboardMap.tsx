import { Dialog } from "../ui/Dialog.tsx";
import { SHORTCUTS } from "./shortcuts.ts";

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
const NAMES: Record<string, string> = MAC ? {} : { "⌘": "Ctrl", "⌥": "Alt", "⇧": "Shift" };

export function KeyboardMap({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      {SHORTCUTS.map(({ group, list }) => (
        <section key={group} className="keys">
          <h3>{group}</h3>
          <dl>
            {list.map((entry) => (
              <div key={entry.words}>
                <dt>{entry.words}</dt>
                <dd>
                  {entry.keys.map((key) => (
                    <kbd key={key} className="kbd">
                      {NAMES[key] ?? key}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
