import { Effect } from "effect"
import { type Answer, applicant, at, credential, worker } from "../../Service.ts"
import { get, idOfNothing, post, remove } from "../NewerSurface.ts"

/** Workers and applicants by name: `x` never existed, `d` is deleted. */
export const people = ["w1", "w2", "w3", "wx", "wd", "a1", "a2", "a3", "ax", "ad"] as const
export type Person = (typeof people)[number]

/** An operation on a credential's owners, or a read. */
export type Operation = `link ${Person}` | `unlink ${Person}` | `transfer ${Person} ${Person}` | "read"

/** The slots of a credential, worker first, `-` for an empty one. */
export type Slots = `${Person | "-"} ${Person | "-"}`

const isPerson = (text: string): text is Person => people.some((person) => person === text)
const named = (text: string): ReadonlyArray<Person> => text.split(" ").filter(isPerson)
/** The last segment of the path. */
const verbOf = (operation: Operation): string => operation.replace(/ .*/, "")
const slotOf = (person: Person): 0 | 1 => (person.startsWith("w") ? 0 : 1)

/** The holders of the worker slot and the applicant slot. */
const holdersOf = (slots: Slots): readonly [Person | "-", Person | "-"] => {
  const holders = named(slots)
  return [holders.find((person) => slotOf(person) === 0) ?? "-", holders.find((person) => slotOf(person) === 1) ?? "-"]
}

/** The ids behind the names. */
export type Cast = Readonly<Record<Person, string>>

/** Creates everybody; deletions follow later. */
export const makeCast = Effect.gen(function* () {
  const made = yield* Effect.all(
    {
      ...{ w1: worker(), w2: worker(), w3: worker(), wd: worker() },
      ...{ a1: applicant(), a2: applicant(), a3: applicant(), ad: applicant() }
    },
    { concurrency: "unbounded" }
  )
  return { ...made, wx: idOfNothing(made.w1), ax: idOfNothing(made.a1) } satisfies Cast
})

/** Deletes the people whose names end in `d`. */
export const bury = (cast: Cast) =>
  Effect.all([remove(`/workers/${cast.wd}`), remove(`/applicants/${cast.ad}`)], { concurrency: "unbounded" })

/** A new credential with these slots. */
export const holding = (cast: Cast, slots: Slots) => {
  const [w, a] = holdersOf(slots)
  return credential({ ...(w === "-" ? {} : { worker: cast[w] }), ...(a === "-" ? {} : { applicant: cast[a] }) })
}

/** `{ type, id }` (§2.2). */
export const reference = (cast: Cast, person: Person) => ({
  type: slotOf(person) === 0 ? "worker" : "applicant",
  id: cast[person]
})

/** The slots in a response with one credential. */
export const slotsIn = (cast: Cast, answer: Answer): string =>
  ["worker", "applicant"]
    .map((type) => {
      const id = at(answer, `data.attributes.owners.${type}`)
      return id === null ? "-" : (people.find((person) => cast[person] === id) ?? String(id))
    })
    .join(" ")

/** The slots of a credential, as GET shows them. */
export const slotsOf = (cast: Cast, id: string) =>
  Effect.map(get(`/credentials/${id}`), (answer) => slotsIn(cast, answer))

/** The valid bodies of an operation. */
export const bodiesOf = (cast: Cast, operation: Operation): ReadonlyArray<unknown> => {
  const [first, second] = named(operation)
  if (first === undefined) return []
  const one = reference(cast, first)
  if (second !== undefined) return [{ from: one, to: reference(cast, second) }]
  return [one, verbOf(operation) === "link" ? { to: one } : { from: one }]
}

/** Runs one operation on one credential. */
export const operate = (cast: Cast, id: string, operation: Operation, form = 0) =>
  operation === "read"
    ? get(`/credentials/${id}`)
    : post(`/credentials/${id}/${verbOf(operation)}`, bodiesOf(cast, operation)[form])
