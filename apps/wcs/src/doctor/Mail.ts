import * as Mail from "@wcs/deployment/Mail"
import { Settings } from "@wcs/deployment/Settings"
import { Effect } from "effect"
import { type Finding, findingsOf } from "./Finding.ts"

const { failed, ok, warning } = findingsOf("mail")

/** Whether the mail server of the settings answers, with TLS and login as they ask for. Sends no message. */
export const mail = Settings.use(
  Effect.fnUntraced(function* ({ messages }): Effect.fn.Return<ReadonlyArray<Finding>, never, Settings> {
    switch (messages._tag) {
      case "Off":
        return [ok("Messages are off.")]
      case "Folder":
        return [warning(`Messages are written to ${messages.folder} and reach nobody: set WCS_MESSAGES to smtp.`)]
      case "Smtp": {
        const fault = yield* Mail.probe(messages)
        const place = `${messages.host}:${messages.port}`
        return [
          fault === undefined
            ? ok(`The mail server ${place} answers${messages.login === null ? "" : " and takes the login"}.`)
            : failed(`The mail server ${place} cannot be used (${fault}): correct WCS_SMTP_*, or look at its log.`)
        ]
      }
    }
  })
)
