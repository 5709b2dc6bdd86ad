import { Context, type Effect } from "effect"
import { accountIdOf, accountUrn } from "../access/Account.ts"
import { answererUrn, operatorUrn, serverUrn } from "./AuditEntry.ts"

/** An account as people know it. */
export interface NamedAccount {
  readonly id: string
  readonly kind: "user" | "service"
  readonly email: string | null
  /** Empty if unknown. */
  readonly firstName: string
  /** Empty if unknown. */
  readonly surname: string
}

/** Reads what accounts are called. Infrastructure failures are defects. */
export class AccountNames extends Context.Service<
  AccountNames,
  {
    /** Returns those of the tenant's accounts that exist, also deactivated ones, in any order. At most one read. */
    readonly find: (tenantId: string, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<NamedAccount>>
  }
>()("@wcs/domain/AccountNames") {}

/** The present name of an account: the name of the user, or else the email address. */
const nameOf = ({ email, firstName, kind, surname }: NamedAccount): string => {
  if (kind === "service") return "API clients"
  const name = [firstName, surname].filter((part) => part !== "").join(" ")
  return name === "" ? (email ?? "") : name
}

/** The actors that are no accounts. */
const others: ReadonlyMap<string, string> = new Map([
  [serverUrn, "The server"],
  [answererUrn, "The person who was asked"],
  [operatorUrn, "The operator"]
])

/** Returns the ids of the accounts among these URNs, each once. */
export const accountsIn = (urns: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(urns.filter((urn) => urn.startsWith(accountUrn(""))).map(accountIdOf))
]

/** Returns the names of actors by URN. A URN without an account has none. */
export const namesByUrn = (accounts: ReadonlyArray<NamedAccount>): ReadonlyMap<string, string> =>
  new Map([...others, ...accounts.map((account) => [accountUrn(account.id), nameOf(account)] as const)])
