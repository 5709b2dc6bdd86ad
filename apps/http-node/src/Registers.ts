import { EngineSettings } from "@wcs/delivery/EngineSettings"
import type { Register } from "@wcs/domain/verification/Register"
import type { Access } from "@wcs/register/Gateway"
import * as Registers from "@wcs/register/Registers"
import { Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "./Settings.ts"
import { StartRefused } from "./StartRefused.ts"
import type { RegisterSettings } from "./settings/Verification.ts"
import { readSecret } from "./stores/PrivateFile.ts"

/** Reads a token or a password from a file with one line. Other content would break a header. */
const secretIn = Effect.fnUntraced(function* (path: string) {
  const found = yield* readSecret(path, "The register secret")
  const text = Option.map(found, (whole) => whole.replace(/\r?\n$/, ""))
  if (Option.isNone(text) || !/^[ -~]{1,4096}$/.test(text.value)) {
    return yield* new StartRefused({
      message: "WCS_REGISTER_SECRET_FILE must be the path of a file with one line of 1 to 4096 ASCII characters."
    })
  }
  return Redacted.make(text.value, { label: "the register secret" })
})

/** How the gateway recognizes this service. Reads the file with the secret. */
export const accessOf = Effect.fnUntraced(function* ({
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

/** The register of the settings, with the limits of parallel requests. */
export const layer: Layer.Layer<Register, StartRefused, Settings> = Layer.unwrap(
  Effect.gen(function* () {
    const { register } = yield* Settings
    if (register._tag === "Simulator") return Registers.layer(register)
    const { _tag: _, secretFile: _s, user: _u, ...others } = register
    return Layer.merge(
      Registers.layer({ _tag: "Http", options: { ...others, access: yield* accessOf(register) } }),
      asManyAsTurns(register.concurrency)
    )
  })
)
