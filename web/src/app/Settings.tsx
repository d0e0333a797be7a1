/** Settings and administration: a list of places, and the place. */

import { Menu as MenuIcon } from "lucide-react";
import { Link, useLocation } from "wouter";
import { t } from "../language/catalogue.ts";
import { mayAdminister, useMe } from "../page/session.ts";
import { ADMIN_PLACES, PERSONAL_PLACES, type Place } from "../settings/places.ts";
import { Button } from "../ui/Button.tsx";
import { NotFound } from "./NotFound.tsx";
import { PAGES } from "./pages.tsx";
import "../settings/settings.css";

export default function Settings({ area, onDrawer }: { area: "settings" | "admin"; onDrawer: () => void }) {
  const me = useMe();
  const [location] = useLocation();
  const places = area === "admin" ? ADMIN_PLACES : PERSONAL_PLACES;
  const place = places.find((entry) => entry.path === location.replace(/\/$/, "")) ?? first(location, places);
  if (!place) return <NotFound />;
  const Page = PAGES[place.path];
  const allowed = area === "settings" || mayAdminister(me) || me.role === "auditor";
  return (
    <div className="settings">
      <nav className="settings-nav" aria-label={t("Settings")}>
        <Button look="ghost" className="drawer-button" label={t("Chats")} onClick={onDrawer}>
          <MenuIcon />
        </Button>
        <Places title={t("You")} places={PERSONAL_PLACES} current={area === "settings" ? place : undefined} />
        {(mayAdminister(me) || me.role === "auditor") && (
          <Places
            title={t("Administration")}
            places={ADMIN_PLACES}
            current={area === "admin" ? place : undefined}
          />
        )}
      </nav>
      <div className="settings-body">
        <h1 className="only-spoken">{place.label}</h1>
        {allowed ? Page && <Page /> : <p className="quiet">{t("Only administrators see this.")}</p>}
      </div>
    </div>
  );
}

/** The address of the area itself leads to the first of its places; any other that is no place leads nowhere. */
function first(location: string, places: readonly Place[]): Place | undefined {
  return /^\/(settings|admin)\/?$/.test(location) ? places[0] : undefined;
}

interface PlacesProps {
  title: string;
  places: readonly Place[];
  current: Place | undefined;
}

/** On a phone the places are one long line: bring the current one into sight. */
function reveal(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: "nearest", inline: "center" });
}

function Places({ title, places, current }: PlacesProps) {
  return (
    <>
      <h2 className="chat-group">{title}</h2>
      <ul>
        {places.map((place) => (
          <li key={place.path}>
            <Link
              ref={place === current ? reveal : undefined}
              href={place.path}
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
