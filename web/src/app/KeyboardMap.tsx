import { t } from "../language/catalogue.ts";
import { keyName, SHORTCUTS } from "../page/shortcuts.ts";
import { Dialog } from "../ui/Dialog.tsx";

export function KeyboardMap({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("Keyboard")} onClose={onClose}>
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
                      {keyName(key)}
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
