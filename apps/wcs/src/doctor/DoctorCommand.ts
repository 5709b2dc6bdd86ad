import { documentation, examine, Settings } from "@wcs/deployment/Settings"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "../Json.ts"
import { Failed, show } from "../Output.ts"
import { certificate } from "./CertificateCheck.ts"
import { files } from "./Files.ts"
import { type Finding, findingsOf } from "./Finding.ts"
import { dataDirectory, disk, openFiles } from "./Machine.ts"
import { mail } from "./Mail.ts"
import { ports } from "./Ports.ts"
import { store } from "./Store.ts"

/** Variables of the tools around the program. */
const ofTools = /^WCS_(?:BUNDLES|CHROMIUM|CONTAINERS|DATABASE_PASSWORD|FAULT|POSTGRES|TEST)/

/** Names that look like settings and are none, such as misspelt ones. */
const unknownNames = Effect.sync(() => {
  const known = new Set(documentation.map(({ name }) => name))
  return Object.keys(process.env).filter((name) => name.startsWith("WCS_") && !known.has(name) && !ofTools.test(name))
})

const settingsCheck = Effect.gen(function* () {
  const { failed, ok, warning } = findingsOf("settings")
  const { ignored, mistakes, settings } = yield* examine
  const unknown = yield* unknownNames
  const findings: ReadonlyArray<Finding> = [
    ...mistakes.map(failed),
    ...unknown.map((name) => warning(`${name} is not a setting: correct its name, or remove it.`))
  ]
  return { ignored, settings, findings: findings.length > 0 ? findings : [ok("All settings are valid.")] }
})

/** The settings of messages. */
const mailNames = documentation.map(({ name }) => name).filter((name) => /^WCS_(MESSAGES|SMTP)/.test(name))

/** All checks. One that needs an invalid setting is left out, because the result would mislead. */
const checks = Effect.gen(function* () {
  const { findings, ignored, settings } = yield* settingsCheck
  const needs = (names: ReadonlyArray<string>) => !names.some((name) => ignored.has(name))
  const place = needs(["WCS_DATA"])
  const found = Effect.all([
    place ? Effect.map(dataDirectory, (finding) => [finding]) : Effect.succeed([]),
    place ? disk : Effect.succeed([]),
    place && needs(["DATABASE_URL", "WCS_MASTER_KEY_FILE"]) ? store : Effect.succeed([]),
    needs(["WCS_TLS", "WCS_TLS_CERT_FILE", "WCS_TLS_KEY_FILE", "WCS_DATA", "DATABASE_URL"])
      ? certificate
      : Effect.succeed([]),
    place && needs(["DATABASE_URL"]) ? files : Effect.succeed([]),
    needs(["WCS_PORT", "WCS_ADMIN_PORT", "WCS_HOST"]) ? ports : Effect.succeed([]),
    Effect.map(openFiles, (finding) => [finding]),
    needs(mailNames) ? mail : Effect.succeed([])
  ])
  return [...findings, ...(yield* Effect.provideService(found, Settings, settings)).flat()]
})

/** `wcs doctor`: checks everything that a server needs, and changes nothing. */
export const doctor = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const findings = yield* checks
    yield* show({ findings }, yield* Json)
    const failed = findings.filter(({ result }) => result === "failed").length
    if (failed === 0) return
    const message = failed === 1 ? "1 check failed" : `${failed} checks failed`
    return yield* new Failed({ code: "UNHEALTHY", message })
  })
).pipe(
  Command.withDescription(
    "Check settings, data directory, disk, keys, database, clock, certificate, files, ports and mail server, and say what to do. Changes nothing"
  )
)
