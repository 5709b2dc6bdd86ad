import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { sendForm } from "../calls/Call.ts"
import { type Me, useMay } from "../calls/Me.ts"
import { forgetWanted } from "./DeepLink.ts"
import { addressOf, type ScreenRow, screens } from "./Screens.ts"
import { openSearch } from "./Search.tsx"
import { emptyPage } from "./SessionEnd.tsx"
import { leave } from "./UnsavedForms.ts"

const sectionsOf = (rows: ReadonlyArray<ScreenRow>) =>
  Map.groupBy(
    rows.flatMap(({ menu, path, section }) => (menu === undefined ? [] : [{ section, words: menu, path }])),
    ({ section }) => section
  )

/** The page is emptied first: a browser may keep it in memory, and show it again by Back. */
const logOut = () =>
  leave(() =>
    sendForm("/logout", {}).finally(() => {
      forgetWanted()
      emptyPage()
      location.replace("/login")
    })
  )

/** The units to which the person's view is limited. */
const Limit = ({ units }: Pick<Me, "units">) =>
  units === null ? null : (
    <p class="quiet">
      {units.length === 0 ? "No people" : `Only people of ${units.map(({ name }) => name).join(", ")}`}
    </p>
  )

/** The menu: the screens whose privileges the person has. On narrow screens a button opens it. */
export const Navigation = ({ me }: { readonly me: Me }) => {
  const { path } = useLocation()
  const may = useMay()
  const [isOpen, setIsOpen] = useState(false)
  const shown = screens.filter(({ needs = [] }) => [needs].flat().every(may))
  return (
    <nav class="menu" aria-label="Screens">
      <div class="brand">
        <strong>{me.tenant.name}</strong>
        <button type="button" class="opener small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Menu
        </button>
        <Limit units={me.units} />
      </div>
      <div class={isOpen ? "sections open" : "sections"}>
        <button type="button" class="search" aria-keyshortcuts="Control+K" onClick={openSearch}>
          Search <kbd>Ctrl K</kbd>
        </button>
        {[...sectionsOf(shown)].map(([section, entries]) => (
          <section key={section}>
            <h2>{section}</h2>
            <ul>
              {entries.map((entry) => {
                const address = addressOf(entry)
                const isHere = path === address || (entry.path !== "/" && path.startsWith(`${address}/`))
                return (
                  <li key={entry.path}>
                    <a href={address} aria-current={isHere ? "page" : undefined} onClick={() => setIsOpen(false)}>
                      {entry.words}
                    </a>
                  </li>
                )
              })}
            </ul>
          </section>
        ))}
        <section>
          <h2>{me.email ?? "Service account"}</h2>
          <ul>
            <li>
              <button type="button" class="link" onClick={logOut}>
                Log out
              </button>
            </li>
          </ul>
        </section>
      </div>
    </nav>
  )
}
