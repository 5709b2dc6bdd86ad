import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Ownership } from "@wcs/domain/ownership/Ownership"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import type * as Rules from "@wcs/domain/shared/Rules"
import { Context, type Layer } from "effect"

/** The rule services of a deployment. */
export type RuleServices = Context.Context<Layer.Success<typeof Rules.layer>>

type Method = (...given: ReadonlyArray<never>) => unknown

const keys = [Ownership, PrivilegeRules, TokenLifetime, ErrorCodes].map(({ key }) => key)

/** Replaces every method of the rule services. `replace` gets a function that finds the method in any rule services. */
export const withMethods = (
  rules: RuleServices,
  replace: (find: (rules: RuleServices) => Method) => Method
): RuleServices =>
  keys.reduce((replaced, key) => {
    const methodsOf = (some: RuleServices): Readonly<Record<string, Method>> => some.mapUnsafe.get(key)
    const methods = Object.keys(methodsOf(rules)).map((name) => [
      name,
      replace((some) => methodsOf(some)[name] as Method)
    ])
    return Context.makeUnsafe(new Map(replaced.mapUnsafe).set(key, Object.fromEntries(methods)))
  }, rules)
