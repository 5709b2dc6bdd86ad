/** Made-up people and their cards, the same at every run. */
import type { Card } from "@wcs/register/ReferenceGateway"

const firstNames = [
  ...["Ada", "Amir", "Anika", "Ben", "Carla", "Chen", "Dara", "Dylan", "Elena", "Farid", "Freya", "Grace", "Hana"],
  ...["Hugo", "Imran", "Isla", "Jack", "Jin", "Kaia", "Kofi", "Lara", "Leo", "Maja", "Milo", "Nadia", "Noah", "Olga"],
  ...["Omar", "Priya", "Quinn", "Rosa", "Ruben", "Sana", "Sven", "Tara", "Tomas", "Uma", "Viktor", "Wren", "Yara"]
]
const lastNames = [
  ...["Abbott", "Andersen", "Baker", "Barros", "Chandra", "Cooper", "Diaz", "Duarte", "Edwards", "Fischer", "Garcia"],
  ...["Gupta", "Hansen", "Hughes", "Ivanov", "Jansen", "Kapoor", "Keller", "Larsen", "Lopez", "Martin", "Mensah"],
  ...["Nguyen", "Novak", "Olsen", "Patel", "Petrov", "Reyes", "Rossi", "Sato", "Silva", "Tan", "Taylor", "Varga", "Wu"]
]
const jobs = ["Teacher", "Nurse", "Support worker", "Coach", "Driver", "Cook", "Counselor", "Gardener", "Librarian"]
const statuses = ["ACTIVE", "ACTIVE", "ACTIVE", "ACTIVE", "ON_LEAVE", "INACTIVE", "TERMINATED"] as const

const pick = <Value>(values: ReadonlyArray<Value>, index: number): Value => {
  const value = values[index % values.length]
  if (value === undefined) throw new Error("nothing to pick from")
  return value
}

/** The names of the person with this number. Numbers next to each other get different names. */
export const namesOf = (index: number) => {
  const firstName = pick(firstNames, index)
  const lastName = pick(lastNames, Math.floor(index / firstNames.length) + index * 3)
  return { firstName, lastName, displayName: `${firstName} ${lastName}` }
}

const birthDateOf = (index: number): string =>
  `${1960 + (index % 42)}-${String(1 + (index % 12)).padStart(2, "0")}-${String(1 + (index % 28)).padStart(2, "0")}`

export const workerOf = (index: number) => {
  const { displayName, firstName, lastName } = namesOf(index)
  return {
    identity: { displayName, firstName, lastName, birthDate: birthDateOf(index) },
    employment: { jobTitle: pick(jobs, index), status: pick(statuses, index * 3) },
    contact: { workEmail: `worker${index}@demo.example` },
    source: { externalId: `hr-${index}`, sourceSystem: "demo" }
  }
}

export const applicantOf = (index: number) => {
  const { displayName, firstName, lastName } = namesOf(index + 13)
  return { displayName, firstName, lastName, emailAddress: `applicant${index}@demo.example` }
}

/** What the register says of a card, and in how many days it expires. Without a word, the register does not know it. */
interface Outcome {
  readonly credentialType: "WWCC_NSW" | "WWCC_VIC"
  readonly word?: string
  readonly expiresInDays?: number
  /** The register knows the card under another name. */
  readonly isSomebodyElse?: true
}

const inNsw = (word: string, expiresInDays?: number): Outcome => ({
  credentialType: "WWCC_NSW",
  word,
  ...(expiresInDays === undefined ? {} : { expiresInDays })
})
const inVic = (word: string): Outcome => ({ credentialType: "WWCC_VIC", word, expiresInDays: 300 })

/** The outcomes of verifications. Most people may work. */
const outcomes: ReadonlyArray<Outcome> = [
  ...Array.from({ length: 14 }, () => inNsw("cleared", 1500)),
  ...[inNsw("cleared", 30), inNsw("cleared", 20), inNsw("cleared", 0), inNsw("cleared", -1), inNsw("cleared", -30)],
  ...[inNsw("interim bar"), inNsw("barred"), inNsw("application in progress"), inNsw("closed")],
  ...[inVic("passed"), inVic("suspended"), inVic("revoked")],
  ...[{ credentialType: "WWCC_NSW" } as const, { ...inNsw("cleared", 1500), isSomebodyElse: true } as const]
]

const outcomeOf = (index: number): Outcome => pick(outcomes, index * 11)

const identifierOf = (index: number): string => {
  const number = String(index).padStart(7, "0")
  return outcomeOf(index).credentialType === "WWCC_NSW" ? `WWC${number}E` : `${number}A-01`
}

const holderBirthDate = (index: number): string => `19${60 + (index % 40)}-0${1 + (index % 9)}-15`

/** The cards that the register knows of people with numbers below `count`. */
export const cardsOf = (count: number): ReadonlyArray<Card> =>
  Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const { credentialType, expiresInDays = null, isSomebodyElse, word } = outcomeOf(index)
    const { firstName, lastName } = namesOf(isSomebodyElse ? index + 1 : index)
    const identifier = identifierOf(index)
    const birthDate = holderBirthDate(index)
    return word === undefined
      ? []
      : [{ credentialType, identifier, word, expiresInDays, firstName, lastName, birthDate }]
  })

/** A credential that its owner declares. */
export const credentialOf = (owners: object, index: number) => {
  const { firstName, lastName } = namesOf(index)
  // Every tenth birth date was forgotten. The register of New South Wales is not asked without it.
  const holder = { firstName, lastName, ...(index % 10 === 7 ? {} : { birthDate: holderBirthDate(index) }) }
  const { credentialType } = outcomeOf(index)
  return { attributes: { credentialType, identifier: identifierOf(index), holder, owners } }
}

/** A first aid certificate, which no register verifies. Its owner declares the expiry date. */
export const firstAidOf = (worker: string, index: number, now: Date) => {
  const expiryDate = new Date(now.getTime() + ((index * 3) % 400) * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  return { attributes: { credentialType: "FIRST_AID", identifier: `FA${index}`, expiryDate, owners: { worker } } }
}
