/** Settings and administration: a list of places, and the place. */

import { Menu as MenuIcon } from "lucide-react";
import { Link, useLocation } from "wouter";
import { mayAdminister, useMe } from "../app/session.ts";
import { Button } from "../ui/Button.tsx";
import { ADMIN_PLACES, PERSONAL_PLACES, type Place } from "./places.tsx";
import "./settings.css";

export default function Settings({ area, onDrawer }: { area: "settings" | "admin"; onDrawer: () => void }) {
  const me = useMe();
  const [location] = useLocation();
  const name = location.split("/")[2];
  const places = area === "admin" ? ADMIN_PLACES : PERSONAL_PLACES;
  const place = places.find((entry) => entry.name === name) ?? places[0];
  const allowed = area === "settings" || mayAdminister(me) || me.role === "auditor";
  return (
    <div className="settings">
      <nav className="settings-nav" aria-label="Settings">
        <Button look="ghost" className="drawer-button" label="Chats" onClick={onDrawer}>
          <MenuIcon />
        </Button>
        <Places
          title="You"
          base="/settings"
          places={PERSONAL_PLACES}
          current={area === "settings" ? place : undefined}
        />
        {(mayAdminister(me) || me.role === "auditor") && (
          <Places
            title="Administration"
            base="/admin"
            places={ADMIN_PLACES}
            current={area === "admin" ? place : undefined}
          />
        )}
      </nav>
      <div className="settings-body">
        {allowed ? place && <place.Page /> : <p className="quiet">Only administrators see this.</p>}
      </div>
    </div>
  );
}

interface PlacesProps {
  title: string;
  base: string;
  places: readonly Place[];
  current: Place | undefined;
}

/** On a phone the places are one long line: bring the current one into sight. */
function reveal(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: "nearest", inline: "center" });
}

function Places({ title, base, places, current }: PlacesProps) {
  return (
    <>
      <h2 className="chat-group">{title}</h2>
      <ul>
        {places.map((place) => (
          <li key={place.name}>
            <Link
              ref={place === current ? reveal : undefined}
              href={`${base}/${place.name}`}
              className="settings-link"
              aria-current={place === current ? "page" : undefined}
            >
              <place.icon aria-hidden /> {place.label}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
