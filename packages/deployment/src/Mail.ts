import { rootCertificates } from "node:tls"
import * as FolderMessages from "@wcs/delivery/message/FolderMessages"
import * as SmtpMessages from "@wcs/delivery/message/SmtpMessages"
import type { Messages } from "@wcs/domain/message/Messages"
import { Effect, type Layer, Option, Result } from "effect"
import { Settings } from "./Settings.ts"
import type { MessagesSettings } from "./settings/Messages.ts"
import { authoritiesIn } from "./TrustedAuthorities.ts"

/** The way of messages that the settings choose. */
export const layer = (settings: Exclude<MessagesSettings, { readonly _tag: "Off" }>): Layer.Layer<Messages> =>
  settings._tag === "Folder" ? FolderMessages.layer(settings.folder, settings) : SmtpMessages.layer(settings)

/** Tries the mail server of the settings without a message. Returns why it cannot be used; undefined if it can. */
export const probe = Effect.fnUntraced(function* (settings: Extract<MessagesSettings, { readonly _tag: "Smtp" }>) {
  const { authoritiesFile } = yield* Settings
  if (Option.isNone(authoritiesFile)) return yield* SmtpMessages.probe(settings)
  const further = yield* Effect.result(authoritiesIn(authoritiesFile.value))
  return Result.isFailure(further)
    ? further.failure.message
    : yield* SmtpMessages.probe({ ...settings, authorities: [...rootCertificates, ...further.success] })
})
