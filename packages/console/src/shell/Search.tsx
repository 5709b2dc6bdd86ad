import type { FunctionComponent } from "preact"
import { useEffect, useState } from "preact/hooks"

type Box = FunctionComponent<{ readonly onClose: () => void }>

let openBox: () => void = () => {}

/** Opens the search. */
export const openSearch = (): void => openBox()

/** The search, which Ctrl-K opens on every screen. Its script is loaded when it is opened first. */
export const Search = () => {
  const [isOpen, setIsOpen] = useState(false)
  const [Box, setBox] = useState<Box | null>(null)
  useEffect(() => {
    openBox = () => {
      setIsOpen(true)
      import("./SearchBox.tsx").then(
        ({ SearchBox }) => setBox(() => SearchBox),
        () => location.reload() // the server was upgraded, and has another script
      )
    }
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return
      event.preventDefault()
      // another dialog keeps what was typed in it
      if (document.querySelector("dialog[open]") === null) openBox()
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
  return isOpen && Box !== null ? <Box onClose={() => setIsOpen(false)} /> : null
}
