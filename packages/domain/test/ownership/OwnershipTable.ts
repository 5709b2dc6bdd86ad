import {
  AlreadyLinked,
  type Command,
  type Decision,
  LastOwner,
  OwnerMismatch,
  OwnerNotFound,
  type OwnerReference,
  type Owners
} from "@wcs/domain/ownership/Ownership"

/*
 * The transition table of §3, completed by DECISIONS.md#ownership.
 *
 * A state is two letters, the worker slot and the applicant slot: `a-` has worker a and no applicant.
 * An owner is its slot and its letter: `w:a` is worker a, `p:b` applicant b.
 * A cell is the outcome of the operation in its column for the state of its row:
 *
 *   ab   the new slots                  =   no change
 *   *a   ALREADY_LINKED, owner a        !a  OWNER_MISMATCH, owner a (`!-`: no owner)
 *   1    refused: the last owner
 */

const link = `
      to  w:a  w:b  p:a  p:b
  --      a-   b-   -a   -b
  a-      =    *a   aa   ab
  b-      *b   =    ba   bb
  -a      aa   ba   =    *a
  -b      ab   bb   *b   =
  aa      =    *a   =    *a
  ab      =    *a   *b   =
  ba      *b   =    =    *a
  bb      *b   =    *b   =
`

const unlink = `
    from  w:a  w:b  p:a  p:b
  --      =    =    =    =
  a-      1    !a   =    =
  b-      !b   1    =    =
  -a      =    =    1    !a
  -b      =    =    !b   1
  aa      -a   !a   a-   !a
  ab      -b   !a   !b   a-
  ba      !b   -a   b-   !a
  bb      !b   -b   !b   b-
`

const transfer = `
 from>to  w:a>w:a  w:a>w:b  w:b>w:a  w:b>w:b  p:a>p:a  p:a>p:b  p:b>p:a  p:b>p:b
  --      !-       !-       !-       !-       !-       !-       !-       !-
  a-      =        b-       =        !a       !-       !-       !-       !-
  b-      !b       =        a-       =        !-       !-       !-       !-
  -a      !-       !-       !-       !-       =        -b       =        !a
  -b      !-       !-       !-       !-       !b       =        -a       =
  aa      =        ba       =        !a       =        ab       =        !a
  ab      =        bb       =        !a       !b       =        aa       =
  ba      !b       =        aa       =        =        bb       =        !a
  bb      !b       =        ab       =        !b       =        ba       =
`

const transferAcross = `
 from>to  p:a>w:a  p:a>w:b  p:b>w:a  p:b>w:b  w:a>p:a  w:a>p:b  w:b>p:a  w:b>p:b
  --      !-       !-       !-       !-       !-       !-       !-       !-
  a-      =        !-       =        !-       -a       -b       !a       !a
  b-      !-       =        !-       =        !b       !b       -a       -b
  -a      a-       b-       !a       !a       =        !-       =        !-
  -b      !b       !b       a-       b-       !-       =        !-       =
  aa      =        *a       =        !a       =        *a       =        !a
  ab      =        !b       =        *a       *b       =        !a       =
  ba      *b       =        !a       =        =        !b       =        *a
  bb      !b       =        *b       =        !b       =        *b       =
`

export const letters = ["-", "a", "b"] as const
/** Every state: both slots, each empty or with one of two owners. */
export const states: ReadonlyArray<string> = letters.flatMap((worker) =>
  letters.map((applicant) => `${worker}${applicant}`)
)
export const owners = ["w:a", "w:b", "p:a", "p:b"] as const
export const verbs = ["link", "unlink", "transfer"] as const
export type Verb = (typeof verbs)[number]

/** A cell: the outcome of a command in a state. */
export interface Cell {
  readonly verb: Verb
  /** The head of the column: one owner or two. */
  readonly column: string
  readonly state: string
  readonly outcome: string
}

const read = (verb: Verb, table: string): ReadonlyArray<Cell> => {
  const [head = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
  const columns = head.slice(1)
  return rows.flatMap(([state = "", ...outcomes]) =>
    outcomes.map((outcome, index) => ({ verb, column: columns[index] ?? "", state, outcome }))
  )
}

export const cells: ReadonlyArray<Cell> = [
  ...read("link", link),
  ...read("unlink", unlink),
  ...read("transfer", transfer),
  ...read("transfer", transferAcross)
]

const idOf = (slot: OwnerReference["type"], letter: string): string =>
  `${slot === "worker" ? "wkr" : "app"}_000000000000000${letter}`
const holderOf = (slot: OwnerReference["type"], letter: string): string | null =>
  letter === "-" ? null : idOf(slot, letter)

/** Returns the slots of a state. */
export const slotsOf = (state: string): Owners => ({
  worker: holderOf("worker", state.charAt(0)),
  applicant: holderOf("applicant", state.charAt(1))
})

/** Returns the state of the slots. */
export const stateOf = ({ applicant, worker }: Owners): string =>
  (worker?.slice(-1) ?? "-") + (applicant?.slice(-1) ?? "-")

/** Returns the reference of `w:a`. */
export const ownerOf = (owner: string): OwnerReference => {
  const type = owner.startsWith("w") ? "worker" : "applicant"
  return { type, id: idOf(type, owner.slice(-1)) }
}

/** Returns the command of a column. */
export const commandOf = (verb: Verb, column: string): Command => {
  const [from = "", to = ""] = column.split(">")
  switch (verb) {
    case "link":
      return { _tag: "Link", to: ownerOf(column) }
    case "unlink":
      return { _tag: "Unlink", from: ownerOf(column) }
    case "transfer":
      return { _tag: "Transfer", from: ownerOf(from), to: ownerOf(to) }
  }
}

/** Returns the decision of a cell. Checks last whether the new owner exists. */
export const decisionOf = ({ column, outcome, verb }: Cell, isPresent: boolean): Decision => {
  const [first = "", last = first] = column.split(">").map((owner) => ownerOf(owner).type)
  const from = first === "worker" ? "worker" : "applicant"
  const to = last === "worker" ? "worker" : "applicant"
  const holder = outcome.slice(1)
  switch (outcome.charAt(0)) {
    case "=":
      return { _tag: "Unchanged" }
    case "*":
      return {
        _tag: "Refused",
        reason: new AlreadyLinked({
          slot: to,
          holder: idOf(to, holder),
          advice: verb === "link" ? "transfer" : "unlink first"
        })
      }
    case "!":
      return { _tag: "Refused", reason: new OwnerMismatch({ slot: from, holder: holderOf(from, holder) }) }
    case "1":
      return { _tag: "Refused", reason: new LastOwner({ holder: ownerOf(column).id }) }
    default: {
      if (isPresent || verb === "unlink") return { _tag: "Changed", owners: slotsOf(outcome) }
      const owner = ownerOf(column.slice(-3))
      return { _tag: "Refused", reason: new OwnerNotFound({ owner }) }
    }
  }
}
