/** Made-up people, the same at every run. */

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

/** The last digits of identifiers, which determine the simulated register's answer. Most people may work. */
const outcomes = [
  ...Array.from({ length: 12 }, () => "01"),
  ...["50", "51", "02", "02", "03", "04", "10", "11", "15", "20", "21", "31", "33", "34", "40"]
]

/** A credential that its owner declares. The last two digits determine the register's answer. */
export const credentialOf = (owners: object, index: number) => {
  const { firstName, lastName } = namesOf(index)
  const outcome = pick(outcomes, index * 11)
  // The number of a card has seven digits. The number of an application has up to ten.
  const identifier =
    index < 100_000
      ? `WWC${String(index).padStart(5, "0")}${outcome}E`
      : `APP${String(index).padStart(8, "0")}${outcome}`
  // Every tenth birth date was forgotten, so the register is not asked.
  const birthDate = `19${60 + (index % 40)}-0${1 + (index % 9)}-15`
  const holder = { firstName, lastName, ...(index % 10 === 7 ? {} : { birthDate }) }
  return { attributes: { credentialType: "WWCC_NSW", identifier, holder, owners } }
}

/** A first aid certificate, which no register verifies. Its owner declares the expiry date. */
export const firstAidOf = (worker: string, index: number, now: Date) => {
  const expiryDate = new Date(now.getTime() + ((index * 3) % 400) * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  return { attributes: { credentialType: "FIRST_AID", identifier: `FA${index}`, expiryDate, owners: { worker } } }
}
