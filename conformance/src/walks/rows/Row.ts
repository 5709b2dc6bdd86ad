import type { AnswersRuleId, PairRuleId, RuleId } from "../../catalogue/Catalogue.ts"
import type * as Expect from "../../judgement/Expect.ts"
import type { Call } from "../../judgement/Session.ts"
import type { Walk } from "../../judgement/Walk.ts"
import { type Endpoint, endpointsOf, type Way } from "../../places/Endpoints.ts"
import type { Holder } from "../../profile/LimitedPrincipals.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import type { Client, Profile } from "../../profile/Profile.ts"
import type { Exchange } from "../../wire/Exchange.ts"

// A row is one rule about many calls: the calls, their forms, their callers, and what must be true of the answers.

/** A call of the newer surface. `absent` and `no delete` are methods that its group lacks. */
export interface Point extends Omit<Endpoint, "way"> {
  readonly way: Way | "absent" | "no delete"
}

/** Calls of these kinds. */
export type Calls = ReadonlyArray<Point["way"]>

/** The sender of a call, and how its secret is sent. Holds no secret: the engine puts it in. */
export interface Caller {
  /** Unique in a sweep. */
  readonly name: string
  readonly as: PrincipalName | null
  /** Sends the token of `as` in another way. */
  readonly sent?: (token: string, call: Call) => Partial<Call>
  /** Makes another token from the value of that one, which is sent instead. */
  readonly made?: (token: string) => string
  readonly holder?: Holder
  /** The client whose id and secret are sent by Basic. */
  readonly client?: Client
  /** The caller that repeats the call after one of these statuses. Rows judge only the second answer. */
  readonly otherwise?: { readonly after: ReadonlyArray<number>; readonly caller: Caller }
}

/** The callers of a row at one call. */
export interface Callers {
  /** `place` is a number of the call. With it, callers can take turns. */
  readonly at: (point: Point, profile: Profile, place: number) => ReadonlyArray<Caller>
  /** Why there may be none. Without a reason, the row leaves such a call out. */
  readonly lacks?: (point: Point) => string
}

/** The names that a form can put into a call: the id of the target, an unused one, and a name that was never sent. */
export interface Names {
  readonly id: string
  readonly nobody: string | undefined
  readonly unique: string
  /** Whether the owner of the target may have credentials of others: a batch then has to name its own. */
  readonly isOfOthers?: boolean
}

/** A way of sending a call; undefined if a name is missing. */
export interface Form {
  readonly name: string
  readonly calls: Calls
  readonly isAt?: (point: Point) => boolean
  readonly of: (call: Call, names: Names) => Partial<Call> | undefined
}

/** What must be true of an answer. */
export interface Must {
  readonly refuses: boolean
  /** `token` is the one of the caller, as far as the caller sends it in an unusual way. */
  readonly met: (exchange: Exchange, about: Pick<Cell, "caller" | "point"> & { readonly token: string }) => Expect.Met
  /** Whether a breach is only a warning. */
  readonly isWarning?: (exchanges: ReadonlyArray<Exchange>) => boolean
  /** Why some answers prove nothing. */
  readonly unless?: (exchanges: ReadonlyArray<Exchange>, point: Point, profile: Profile) => string | undefined
}

export interface Row {
  readonly rule: PairRuleId
  readonly calls: Calls
  /** Only the calls of this entity type. */
  readonly of?: string
  readonly sent?: ReadonlyArray<Form>
  /** Sends one of the forms at each call, in turn. */
  readonly isInTurn?: true
  readonly by: Callers
  readonly is: Must
  /** Its callers may make the call: only its content is wrong. The control of a change is the same change. */
  readonly isOfContent?: true
  /** The rule that says that a refused call changes nothing; default: the rule itself. */
  readonly leaves?: PairRuleId
}

/** A rule about every answer with a status. */
export interface AnswerRow {
  readonly rule: AnswersRuleId
  readonly status: number
  readonly is: Must["met"]
}

/** The walk of a sweep for calls of some kinds. It also judges all other rules of its rows. */
export interface SweepWalk extends Pick<Walk, "name" | "impact" | "needs" | "alsoNeeds"> {
  readonly calls: Calls
  /** Only entity types whose calls the specification documents, or only the others. They are made at the same time. */
  readonly of?: "documented" | "others"
  readonly judges: ReadonlyArray<PairRuleId | AnswersRuleId>
  /** The rules that an entity type without a target leaves open; default: those that the walk always judges. */
  readonly open?: ReadonlyArray<PairRuleId | AnswersRuleId>
}

/** A table of rows. All of them are judged on the same target of each entity type. */
export interface Sweep {
  readonly types: "all" | "guarded"
  /** `lent`: every call must be refused, so walks share the target. `own`: some calls change and delete it. */
  readonly target: "lent" | "own"
  readonly rows: ReadonlyArray<Row>
  readonly answers: ReadonlyArray<AnswerRow>
  readonly walks: ReadonlyArray<SweepWalk>
}

/** One call, in one form, by one caller. It is sent once, and judged by these rows. */
export interface Cell {
  readonly point: Point
  readonly form: Form
  readonly caller: Caller
  readonly rows: ReadonlyArray<Row>
}

const everyWay: Calls = ["list", "read", "create", "update", "absent", "no delete", "action", "batch", "delete"]

/** The call as the profile has it. */
export const asShown: Form = { name: "", calls: everyWay, of: () => ({}) }

/** A path with another segment for an id. */
export const withId = (path: string, id: string, other: string): string => {
  const end = path.includes("?") ? path.indexOf("?") : path.length
  const segments = path.slice(0, end).split("/")
  return segments.map((one) => (one === encodeURIComponent(id) ? other : one)).join("/") + path.slice(end)
}

/** The rule that says that a refused call of a row changes nothing. */
export const leavesOf = ({ leaves, rule }: Row): PairRuleId => leaves ?? rule

/** Whether calls of some kinds can change something. */
export const canChange = (calls: Calls): boolean => calls.some((way) => way !== "list" && way !== "read")

/** The forms of a row at a call. */
export const formsAt = ({ calls, of, sent = [asShown] }: Row, point: Point): ReadonlyArray<Form> =>
  calls.includes(point.way) && (of === undefined || of === point.entity)
    ? sent.filter((form) => form.calls.includes(point.way) && form.isAt?.(point) !== false)
    : []

/** Every rule that the rows of a sweep judge by calls of some kinds. */
export const rulesBy = ({ answers, rows }: Pick<Sweep, "answers" | "rows">, calls: Calls): ReadonlyArray<RuleId> => {
  const isSent = ({ calls: own, sent = [asShown] }: Row) =>
    calls.some((way) => own.includes(way) && sent.some((form) => form.calls.includes(way)))
  return [
    ...new Set<RuleId>([
      ...rows.filter(isSent).flatMap((row) => (canChange(calls) ? [row.rule, leavesOf(row)] : [row.rule])),
      ...answers.map(({ rule }) => rule)
    ])
  ]
}

/** The order of the calls of a group: those that remove its resource come last. */
const order: ReadonlyArray<Point["way"]> = ["read", "list", "create", "update", "action", "batch", "delete"]

/** A number of each call in its group, the same in every walk. */
const placesIn = (profile: Profile): ReadonlyMap<string, number> => {
  const groups = Map.groupBy(endpointsOf(profile), ({ entity }) => entity)
  return new Map(
    [...groups.values()].flatMap((own) =>
      own
        .toSorted((one, other) => order.indexOf(one.way) - order.indexOf(other.way))
        .map(({ name }, place) => [name, place] as const)
    )
  )
}

/** Every cell of some rows at some calls. Pure, so that it can be counted and tested without a deployment. */
export const cellsOf = (
  rows: ReadonlyArray<Row>,
  points: ReadonlyArray<Point>,
  profile: Profile
): ReadonlyArray<Cell> => {
  const places = placesIn(profile)
  const cells = new Map<string, Cell>()
  for (const point of new Map(points.map((one) => [one.name, one])).values()) {
    for (const row of rows) {
      const place = places.get(point.name) ?? 0
      const forms = formsAt(row, point)
      const sent = row.isInTurn === true ? forms.slice(place % forms.length).slice(0, 1) : forms
      for (const [turn, form] of sent.entries()) {
        for (const caller of row.by.at(point, profile, place + turn)) {
          const key = [point.name, form.name, caller.name].join(" | ")
          const known = cells.get(key)?.rows ?? []
          cells.set(key, { point, form, caller, rows: known.includes(row) ? known : [...known, row] })
        }
      }
    }
  }
  return [...cells.values()]
}
