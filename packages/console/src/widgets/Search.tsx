import { useEffect, useId, useState } from "preact/hooks"

/** The pause in typing, in milliseconds, after which the list is read. */
const pauseMillis = 250

/** A search field. The key `/` moves the focus into it. Enter searches at once, and never submits a form around it. */
export const Search = ({
  isMain = true,
  label,
  onChange,
  onEnter = () => {},
  value
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Whether the key `/` moves the focus here. */
  readonly isMain?: boolean
  /** Called for Enter, after `onChange`. */
  readonly onEnter?: (value: string) => void
}) => {
  const id = useId()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => onChange(text.trim()), pauseMillis)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <search class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        data-search={isMain ? "" : undefined}
        value={text}
        maxLength={200}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing) return
          event.preventDefault()
          onChange(text.trim())
          onEnter(text.trim())
        }}
      />
    </search>
  )
}
