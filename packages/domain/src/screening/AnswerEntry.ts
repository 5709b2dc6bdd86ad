import { Result } from "effect"
import { CredentialFields, classify } from "../holding/Credential.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import { noOwners } from "../ownership/Ownership.ts"
import { implausibleBirthDate } from "../resource/BirthDate.ts"
import { decodeArgument, InvalidArgument } from "../shared/InvalidArgument.ts"
import { at, type JsonObject, type Path, put } from "../shared/Json.ts"
import type { Fault } from "../shared/SchemaFaults.ts"
import { EnteredCard } from "./Answer.ts"

/** A detail that a person enters. */
export interface Detail {
  /** Below the attributes of a credential. */
  readonly path: Path
  readonly isRequired: boolean
}

/** The details that can be asked of a person once for all cards, in their order. */
const aboutPerson: ReadonlyArray<Path> = [
  ["holder", "firstName"],
  ["holder", "lastName"],
  ["holder", "birthDate"]
]

/** The details of each card, in their order. */
const aboutCard: ReadonlyArray<Path> = [["identifier"], ["issueNumber"], ["issuingCountry"], ["expiryDate"]]

/** The details of a card that each type can have. */
const always: ReadonlyArray<Path> = [["identifier"], ["expiryDate"]]

const isSame = (one: Path, other: Path): boolean => one.join(".") === other.join(".")
const isCountry = ([name]: Path): boolean => name === "issuingCountry"
const isIn = (paths: ReadonlyArray<Path>, path: Path): boolean => paths.some((one) => isSame(one, path))

/** The details without which a type is refused, or its register is not asked. */
const needed = (code: string): ReadonlyArray<Path> => {
  const type = CredentialType.find(code)
  return type === undefined ? [] : [...type.requiredFields, ...type.askedWith]
}

/** The details of a card of this type. */
export const detailsOfCard = (code: string): ReadonlyArray<Detail> =>
  aboutCard
    .filter((path) => isIn(always, path) || isIn(needed(code), path))
    .map((path) => ({ path, isRequired: isIn(needed(code), path) }))

/** The details of the person that cards of these types need. */
export const detailsOfPerson = (codes: ReadonlyArray<string>): ReadonlyArray<Detail> =>
  aboutPerson
    .filter((path) => codes.some((code) => isIn(needed(code), path)))
    .map((path) => ({ path, isRequired: true }))

/** The name of a detail in a form: of the person, or of a card of this type. */
export const nameOfDetail = (path: Path, code?: string): string =>
  code === undefined ? path.join(".") : `${code}.${path.join(".")}`

/** The text of a form by the names of its details, empty if absent. */
export type Entered = (name: string) => string

const textOf = (entered: Entered, name: string): string | undefined => {
  const text = entered(name).trim()
  return text === "" ? undefined : text
}

const decodeCard = decodeArgument(EnteredCard)
const decodeAttributes = decodeArgument(CredentialFields)

/** A fault of a field of the form. */
const renamed = (code: string, { field, reason }: Fault): Fault => {
  const path = field.replace(/^attributes\./, "").split(".")
  return { field: isIn(aboutPerson, path) ? nameOfDetail(path) : nameOfDetail(path, code), reason }
}

/** Checks a card by the rules of credentials and of its type. Returns it in the form of its register. */
const judged = (card: EnteredCard, today: string): Result.Result<EnteredCard, InvalidArgument> =>
  Result.gen(function* () {
    const { attributes } = yield* decodeAttributes({ attributes: { ...card, owners: noOwners } })
    const birthDate = attributes.holder?.birthDate
    const implausible = birthDate === undefined ? undefined : implausibleBirthDate(birthDate, today)
    const classified = classify({ attributes })
    if (implausible !== undefined) {
      const others = Result.isFailure(classified) ? [classified.failure] : []
      return yield* Result.fail(new InvalidArgument({ field: "holder.birthDate", reason: implausible, others }))
    }
    const { identifier } = (yield* classified).fields.attributes
    return identifier === undefined ? card : { ...card, identifier }
  })

/** Reads one card; undefined if nothing of it was entered. */
const cardOf = (
  code: string,
  entered: Entered,
  today: string
): Result.Result<EnteredCard, ReadonlyArray<Fault>> | undefined => {
  const details = detailsOfCard(code)
  const own = details.map(({ path }) => [path, textOf(entered, nameOfDetail(path, code))] as const)
  if (own.every(([, text]) => text === undefined)) return undefined
  const person = detailsOfPerson([code]).map(({ path }) => [path, textOf(entered, nameOfDetail(path))] as const)
  const values = [...own, ...person].reduce<JsonObject>(
    (card, [path, text]) => (text === undefined ? card : put(card, path, isCountry(path) ? text.toUpperCase() : text)),
    { credentialType: code }
  )
  const missing = [...details, ...detailsOfPerson([code])].filter(
    ({ isRequired, path }) => isRequired && at(values, path) === undefined
  )
  if (missing.length > 0) {
    return Result.fail(missing.map(({ path }) => renamed(code, { field: path.join("."), reason: "is required" })))
  }
  return Result.flatMap(decodeCard(values), (card) => judged(card, today)).pipe(
    Result.mapError(({ others = [], ...first }) => [first, ...others].map((fault) => renamed(code, fault)))
  )
}

/**
 * Reads the cards of the requested types from a form. A type without entries has no card. Fails with the
 * faults of all cards, by the names of their fields, or with one fault if there is no card at all.
 */
export const cardsOf = (
  codes: ReadonlyArray<string>,
  entered: Entered,
  today: string
): Result.Result<ReadonlyArray<EnteredCard>, ReadonlyArray<Fault>> => {
  const read = codes.flatMap((code) => cardOf(code, entered, today) ?? [])
  const faults = read.flatMap((card) => (Result.isFailure(card) ? card.failure : []))
  if (faults.length > 0)
    return Result.fail(faults.filter((one, index) => faults.findIndex(({ field }) => field === one.field) === index))
  const cards = read.flatMap((card) => (Result.isSuccess(card) ? [card.success] : []))
  return cards.length === 0
    ? Result.fail([{ field: "", reason: "has no card: enter the details of at least one" }])
    : Result.succeed(cards)
}

/** The text of a form with the cards that a person entered before. */
export const enteredOf =
  (cards: ReadonlyArray<EnteredCard>): Entered =>
  (name) => {
    const of = (card: EnteredCard, path: Path): string | undefined => {
      const value = at(card as JsonObject, path)
      return typeof value === "string" ? value : undefined
    }
    const own = cards.find(({ credentialType }) => name.startsWith(`${credentialType}.`))
    if (own !== undefined) return of(own, name.slice(own.credentialType.length + 1).split(".")) ?? ""
    const path = name.split(".")
    return isIn(aboutPerson, path) ? (cards.flatMap((card) => of(card, path) ?? [])[0] ?? "") : ""
  }
