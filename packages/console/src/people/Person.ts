import type { Data } from "../calls/Contract.ts"
import { optionsOf } from "../widgets/Badge.tsx"

type Credential = Data<"GET /credentials/:id">

/** The slots of a credential. */
export type Owners = Credential["attributes"]["owners"]

/** The kinds of person who own credentials: one for each slot. */
export type PersonKind = keyof Owners

const words: Readonly<Record<PersonKind, string>> = { worker: "a worker", applicant: "an applicant" }

/** The kinds, in the order of the slots. */
export const personKinds = Object.keys(words) as ReadonlyArray<PersonKind>

/** The kinds as options of a selection. */
export const kindOptions = personKinds.map((kind) => [kind, words[kind]] as const)

/** The kind of the first empty slot, in words; undefined if every slot has an owner. */
export const emptySlot = (owners: Owners): (typeof kindOptions)[number] | undefined =>
  kindOptions.find(([kind]) => owners[kind] === null)

/** The kind as a heading. */
export const titleOf = (kind: PersonKind): string => kind.charAt(0).toUpperCase() + kind.slice(1)

type Included = NonNullable<Credential["owners"]>

const namings: { readonly [Kind in PersonKind]: (person: NonNullable<Included[Kind]>) => string } = {
  worker: ({ identity }) => identity.displayName,
  applicant: ({ displayName, emailAddress }) => displayName ?? emailAddress
}

/** The name of an owner that was read with its credential; undefined if it was not. */
export const nameOfIncluded = (owners: Included | undefined, kind: PersonKind): string | undefined => {
  const person = owners?.[kind]
  return person == null ? undefined : (namings[kind] as (person: unknown) => string)(person)
}

/** Whether the caller may read the owners of credentials. */
export const mayReadOwners = (may: (privilege: `${PersonKind}:READ`) => boolean): boolean =>
  personKinds.every((kind) => may(`${kind}:READ`))

/** A person as links and pickers name them. */
export interface Person {
  readonly type: PersonKind
  readonly id: string
  readonly name: string
  /** Distinguishes people with the same name, for example by the job or the email address. */
  readonly detail?: string
}

/** The address of a person's screen. */
export const addressOf = ({ id, type }: Pick<Person, "id" | "type">): string => `/console/${type}s/${id}`

/** The states of an applicant as options. */
export const applicantStatuses = optionsOf(["NEW", "SCREENING", "COMPLETED", "HIRED", "WITHDRAWN"])
