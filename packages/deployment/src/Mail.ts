import * as FolderMessages from "@wcs/delivery/message/FolderMessages"
import * as SmtpMessages from "@wcs/delivery/message/SmtpMessages"
import type { Messages } from "@wcs/domain/message/Messages"
import type { Layer } from "effect"
import type { MessagesSettings } from "./settings/Messages.ts"

/** The way of messages that the settings choose. */
export const layer = (settings: Exclude<MessagesSettings, { readonly _tag: "Off" }>): Layer.Layer<Messages> =>
  settings._tag === "Folder" ? FolderMessages.layer(settings.folder, settings) : SmtpMessages.layer(settings)
