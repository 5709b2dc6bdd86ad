import { useEffect, useId, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useMay } from "../calls/Me.ts"
import { type Read, useRead } from "../calls/Queries.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { leave } from "./UnsavedForms.ts"

/** The pause in typing, in milliseconds, after which the lists are read. */
const pauseMillis = 250
const shownMax = 6

/** A record that was found, or a list that shows all that match. */
interface Hit {
  readonly href: string
  readonly words: string
  readonly detail: string
}

const joined = (...parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== "").join(" · ")

/** The answer about this text; undefined while the one about the earlier text is shown. */
const present = <Answer,>({ data, isPlaceholderData }: Read<Answer>): Answer | undefined =>
  isPlaceholderData ? undefined : data

/**
 * The records that match a text. There are at most three calls: cards are asked only with a digit, because their numbers
 * have some. The lists at the end show the rest.
 */
const useHits = (text: string) => {
  const may = useMay()
  const hasDigit = /\d/.test(text)
  const page = { query: text, pageSize: String(shownMax) }
  const isWanted = text !== ""
  const workers = useRead(
    "GET /workers",
    { query: { ...page, sort: "displayName:asc" } },
    { isWanted: isWanted && may("worker:READ") }
  )
  const applicants = useRead(
    "GET /applicants",
    { query: { ...page, sort: "displayName:asc" } },
    { isWanted: isWanted && may("applicant:READ") }
  )
  const credentials = useRead(
    "GET /credentials",
    { query: page },
    { isWanted: isWanted && hasDigit && may("credential:READ") }
  )
  const reads: ReadonlyArray<Read<unknown>> = [
    ...(may("worker:READ") ? [workers] : []),
    ...(may("applicant:READ") ? [applicants] : []),
    ...(hasDigit && may("credential:READ") ? [credentials] : [])
  ]
  const found: ReadonlyArray<Hit> = [
    ...(present(workers)?.data ?? []).map(({ employment, id, identity, source }) => ({
      href: `/console/workers/${id}`,
      words: identity.displayName,
      detail: joined("worker", employment?.jobTitle, source?.externalId)
    })),
    ...(present(applicants)?.data ?? []).map(({ displayName, emailAddress, id, source }) => ({
      href: `/console/applicants/${id}`,
      words: displayName ?? emailAddress,
      detail: joined("applicant", emailAddress, source?.externalId)
    })),
    ...(hasDigit ? (present(credentials)?.data ?? []) : []).map(({ attributes, id }) => ({
      href: `/console/credentials/${id}`,
      words: joined(attributes.credentialType, attributes.identifier),
      detail: joined("credential", [attributes.holder?.firstName, attributes.holder?.lastName].join(" ").trim())
    }))
  ]
  const lists = (
    [
      ["workers", "worker:READ"],
      ["applicants", "applicant:READ"],
      ["credentials", "credential:READ"]
    ] as const
  ).flatMap(([list, privilege]) =>
    may(privilege)
      ? [
          {
            href: `/console/${list}?${new URLSearchParams({ query: text })}`,
            words: `All ${list} with “${text}”`,
            detail: ""
          }
        ]
      : []
  )
  const isThere = isWanted && reads.every((read) => present(read) !== undefined || read.error !== null)
  return {
    found,
    hits: isWanted ? [...found, ...lists] : [],
    isThere,
    error: reads.find((read) => read.error !== null)?.error ?? null
  }
}

const statusOf = (text: string, isThere: boolean, count: number): string => {
  if (text === "") return "Type a name, the number of a card, or your own id."
  if (!isThere) return "Searching"
  return count === 0 ? "No name, number or id begins with this text. The lists may have more." : `${count} found`
}

/** The search over workers, applicants and credentials. Arrow keys choose, and Enter opens. */
export const SearchBox = ({ onClose }: { readonly onClose: () => void }) => {
  const id = useId()
  const { route } = useLocation()
  const [typed, setTyped] = useState("")
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState(0)
  const [isEntered, setIsEntered] = useState(false)
  const { error, found, hits, isThere } = useHits(text)
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), pauseMillis)
    return () => clearTimeout(timer)
  }, [typed])
  const isCurrent = text === typed.trim()
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return
    onClose()
    leave(() => route(hit.href))
  }
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen])
  // Enter can come before the answer. It opens what the answer says, and nothing older.
  useEffect(() => {
    if (!isEntered || !isCurrent || !isThere) return
    setIsEntered(false)
    open(hits[chosen])
  }, [isEntered, isCurrent, isThere])
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && hits.length > 0) {
      event.preventDefault()
      setChosen((chosen + step + hits.length) % hits.length)
    }
    if (event.key !== "Enter") return
    event.preventDefault()
    setText(typed.trim())
    setIsEntered(typed.trim() !== "")
  }
  const shown = isCurrent && isThere ? hits : []
  return (
    <Dialog title="Search" onClose={onClose}>
      <div class="field">
        <label for={id}>Name, card number or your id</label>
        <input
          id={id}
          type="text"
          role="combobox"
          autofocus
          autocomplete="off"
          maxLength={200}
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-hits`}
          aria-activedescendant={shown.length > 0 ? `${id}-${chosen}` : undefined}
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
            setChosen(0)
            setIsEntered(false)
          }}
          onKeyDown={press}
        />
      </div>
      <Problem error={error} />
      <p class="quiet" role="status">
        {statusOf(typed.trim(), isCurrent && isThere, found.length)}
      </p>
      {shown.length === 0 ? null : (
        <div id={`${id}-hits`} role="listbox" aria-label="Found" class="hits">
          {shown.map((hit, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field choose
            <div
              key={hit.href}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => open(hit)}
            >
              {hit.words} <span>{hit.detail}</span>
            </div>
          ))}
        </div>
      )}
    </Dialog>
  )
}
