import { isConclusive, type StatusDetail, type Verdict, verdictOf } from "@wcs/domain/holding/Verification"

/** The fields that a verdict is about. */
export interface Card {
  readonly credentialType: string
  readonly identifier: string
  readonly issueNumber: string | undefined
  readonly lastName: string | undefined
}

/** An answer of the register. An old one is not reused. */
export type Answer =
  | {
      readonly _tag: "Found"
      readonly detail: "VALID" | "SUSPENDED" | "EXPIRED" | "CONDITIONAL"
      readonly date: string | null
      readonly isOld: boolean
    }
  | { readonly _tag: "Queued" }
  | { readonly _tag: "Failed" }

/** An event in the life of the present card: a person declares its date, or a register answers about it. */
export type Fact = { readonly _tag: "Declared"; readonly date: string | undefined } | Answer

/** A date before today, and one after it. With so few dates, a person often declares the date that a register gave. */
export const dates = ["2020-02-29", "2999-12-31"] as const

/** The state of a credential. */
export interface Reading {
  readonly verdict: Verdict | undefined
  readonly lastKnown: Verdict | undefined
  readonly date: string | undefined
  readonly isDeclared: boolean
  /** Whether the last outcome is young enough to be reused. */
  readonly isReusable: boolean
}

export const isVerifiable = ({ credentialType }: Card): boolean => credentialType !== "FIRST_AID"

export const isSameCard = (one: Card, other: Card): boolean => JSON.stringify(one) === JSON.stringify(other)

const failure = verdictOf("SOURCE_UNAVAILABLE")

const afterFact = (before: Reading, fact: Fact): Reading => {
  if (fact._tag === "Declared") return { ...before, date: fact.date, isDeclared: true }
  if (fact._tag !== "Found") {
    const isGood = before.verdict !== undefined && isConclusive(before.verdict)
    return {
      ...before,
      verdict: fact._tag === "Queued" ? verdictOf("QUEUED_MANUAL") : failure,
      lastKnown: isGood ? before.verdict : before.lastKnown,
      isReusable: false
    }
  }
  const declared = before.isDeclared ? before.date : undefined
  return {
    verdict: verdictOf(fact.detail),
    lastKnown: undefined,
    date: fact.date ?? declared,
    isDeclared: fact.date === null || fact.date === declared,
    isReusable: !fact.isOld
  }
}

/** The stored state. It depends only on the card and its facts: this is the property under test. */
export const storedAfter = (card: Card, facts: ReadonlyArray<Fact>): Reading =>
  facts.reduce(afterFact, {
    verdict: isVerifiable(card) ? verdictOf("PENDING") : undefined,
    lastKnown: undefined,
    date: undefined,
    isDeclared: true,
    isReusable: false
  })

/** The state on the wire: EXPIRED after its date. */
export const shownAfter = (card: Card, facts: ReadonlyArray<Fact>): Reading => {
  const stored = storedAfter(card, facts)
  return stored.date === dates[0] ? { ...stored, verdict: verdictOf("EXPIRED") } : stored
}

/** The verdict in an event. */
export interface Told {
  readonly detail: StatusDetail
  readonly date: string | null
  readonly trigger: string
}

/** A verification that waits for its outcome. */
interface Open {
  readonly correlationId: string
  readonly trigger: string
}

/** The model of one credential. */
export interface Modelled {
  card: Card
  facts: ReadonlyArray<Fact>
  /** The date that was in the last write of another card, and was removed. */
  cleared: string | undefined
  run: "none" | "due" | "asked" | "waits for a person"
  /** The card of the register's question. Undefined if the type is not verifiable. */
  asked: Card | undefined
  open: ReadonlyArray<Open>
  readonly told: Map<string, Told>
}

export const modelled = (card: Card, date: string | undefined): Modelled => ({
  card,
  facts: [{ _tag: "Declared", date }],
  cleared: undefined,
  run: "none",
  asked: undefined,
  open: [],
  told: new Map()
})

/** Opens a verification. It joins an existing run. */
export const opened = (model: Modelled, correlationId: string, trigger: string): void => {
  model.open = [...model.open, { correlationId, trigger }]
  if (model.run === "none") model.run = "due"
}

/** The effect of a write: none, a change, or a change that starts a verification. */
export type Written = "unchanged" | "changed" | "started"

/** A person writes a card and a date. */
export const written = (model: Modelled, card: Card, said: string | undefined, method: "put" | "patch"): Written => {
  const before = storedAfter(model.card, model.facts)
  const isRepeated = method === "put" && said !== undefined && said === model.cleared
  const isKept = said === before.date || isRepeated
  if (isSameCard(card, model.card)) {
    if (isKept) return "unchanged"
    model.facts = [...model.facts, { _tag: "Declared", date: said }]
    return "changed"
  }
  const declared = isKept ? (before.isDeclared ? before.date : undefined) : said
  if (said !== undefined && said !== declared) model.cleared = said
  model.card = card
  model.facts = [{ _tag: "Declared", date: declared }]
  if (model.run === "waits for a person") model.run = "due"
  return isVerifiable(card) ? "started" : "changed"
}

/** Ends every open verification with one verdict. */
const tellAll = (model: Modelled, detail: StatusDetail, date: string | null): void => {
  for (const { correlationId, trigger } of model.open) model.told.set(correlationId, { detail, date, trigger })
  model.open = []
  model.run = "none"
}

/** A verdict of a register or of a reviewer about the present card. */
export const found = (model: Modelled, answer: Answer & { readonly _tag: "Found" }): void => {
  model.facts = [...model.facts, answer]
  const { date = null, verdict } = shownAfter(model.card, model.facts)
  tellAll(model, verdict?.statusDetail ?? answer.detail, date)
}

/** A register's answer arrives. */
export const answered = (model: Modelled, answer: Answer): "applied" | "moot" | "of another card" => {
  const { date = null } = storedAfter(model.card, model.facts)
  if (!isVerifiable(model.card)) {
    tellAll(model, "INTERNAL_ERROR", date)
    return "moot"
  }
  if (model.asked === undefined || !isSameCard(model.asked, model.card)) {
    model.run = "due"
    return "of another card"
  }
  if (answer._tag === "Found") found(model, answer)
  else {
    model.facts = [...model.facts, answer]
    if (answer._tag === "Queued") model.run = "waits for a person"
    else tellAll(model, failure.statusDetail, date)
  }
  return "applied"
}
