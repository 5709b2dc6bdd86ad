import { languages } from "@wcs/domain/message/Language"
import { placeholdersOf } from "@wcs/domain/message/MessageKind"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { ids } from "../Requests.ts"
import { answer, bodyOf, created, other, page, time } from "./Shapes.ts"

const message = (state: string, more: JsonObject): JsonObject => ({
  ...{ id: ids.message, type: "message", kind: "RED_TODAY", state },
  ...{
    recipient: { type: "user", id: ids.user, email: "ann@example.org" },
    cause: time.slice(0, 10),
    ...created,
    ...more
  }
})

const sample = message("QUEUED", {
  ...{ id: other("msg", 1), recipient: { type: "user", id: other("acc", 1), email: "super@example.org" }, attempts: 0 }
})

const settings = (chosen: JsonObject): JsonObject => ({
  ...{ type: "messageSettings", ...chosen, isAvailable: true },
  standardTemplates: { en: { ...languages.en.templates }, de: { ...languages.de.templates } },
  placeholders: { ...placeholdersOf }
})

const own = { type: "ownMessages", ...bodyOf("messages.setOwn") }

export const messages = {
  "messages.list": page([message("REFUSED", { attempts: 1, reply: "550 No such user", endedAt: time })]),
  "messages.resend": answer(message("QUEUED", { attempts: 1, reply: "550 No such user", endedAt: time })),
  "messages.settings": answer(settings(bodyOf("messages.setSettings"))),
  "messages.setSettings": answer(settings(bodyOf("messages.setSettings"))),
  "messages.preview": answer({ subject: "Who may not work", text: "- Jane Example" }),
  "messages.sample": answer(sample),
  "messages.own": answer(own),
  "messages.setOwn": answer(own)
}
