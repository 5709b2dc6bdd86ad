import { useEffect, useState } from "preact/hooks"
import { lazyPart } from "./LazyPart.tsx"

const SearchBox = lazyPart(async () => (await import("./SearchBox.tsx")).SearchBox)

let openBox: () => void = () => {}

/** Opens the search. */
export const openSearch = (): void => openBox()

/** The search, which Ctrl-K opens on every screen. */
export const Search = () => {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    openBox = () => setIsOpen(true)
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return
      event.preventDefault()
      // another dialog keeps what was typed in it
      if (document.querySelector("dialog[open]") === null) setIsOpen(true)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  return isOpen ? <SearchBox onClose={() => setIsOpen(false)} /> : null
}
