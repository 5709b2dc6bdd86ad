import { EngineSettings } from "@wcs/delivery/EngineSettings"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import type { Register } from "@wcs/domain/verification/Register"
import type { StartRefused } from "@wcs/node-server/StartRefused"
import type { Access } from "@wcs/register/Gateway"
import * as Registers from "@wcs/register/Registers"
import { Effect, Layer, Option } from "effect"
import { secretIn } from "./RegisterSecret.ts"
import { Settings } from "./Settings.ts"
import type { RegisterSettings } from "./settings/Verification.ts"

const accessOf = Effect.fnUntraced(function* ({
  secretFile,
  user
}: Extract<RegisterSettings, { readonly _tag: "Gateway" }>) {
  if (Option.isNone(secretFile)) return { _tag: "Anonymous" } satisfies Access
  const secret = yield* secretIn(secretFile.value)
  return Option.match(user, {
    onNone: (): Access => ({ _tag: "Bearer", token: secret }),
    onSome: (name): Access => ({ _tag: "Basic", user: name, password: secret })
  })
})

/**
 * Limits the verifications of a worker to the parallel requests of the gateway, so that no time limit runs while one
 * waits here.
 */
const asManyAsTurns = (concurrency: number) =>
  Layer.effect(
    EngineSettings,
    Effect.map(EngineSettings, (standard) => ({ ...standard, questionsMax: concurrency }))
  )

/** The log line of a gateway whose accounts are nobody's, as those of an earlier release were everybody's. */
const unasked =
  `WCS_REGISTER_ACCOUNTS_OF is not set, so the gateway is not asked about ${CredentialType.withAccounts.join(", ")}; ` +
  "set it to the tenant whose accounts the gateway has, and give other tenants verification sources"

/** The register of the settings, with the limits of parallel requests. */
export const layer: Layer.Layer<Register, StartRefused, Settings> = Layer.unwrap(
  Effect.gen(function* () {
    const { register } = yield* Settings
    if (register._tag === "Reference") return Registers.layer(register)
    const { _tag: _, accountsOf, callsPerMinute: _c, secretFile: _s, user: _u, ...others } = register
    if (Option.isNone(accountsOf)) yield* Effect.logWarning(unasked)
    return Layer.merge(
      Registers.layer({ _tag: "Http", options: { ...others, access: yield* accessOf(register) } }),
      asManyAsTurns(register.concurrency)
    )
  })
)
