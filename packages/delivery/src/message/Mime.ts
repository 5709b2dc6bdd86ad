import type { Letter } from "@wcs/domain/message/Messages"
import { Effect } from "effect"

/** The sender of all messages. */
export interface Sender {
  /** The address in `From`, which the mail server must accept. */
  readonly from: string
}

/** The most bytes of a message. */
export const messageMax = 262_144

/** The host part of an address. */
const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** Returns a message in the form of RFC 5322, with a plain and an HTML part. */
export const composed = ({ from }: Sender, { html, language, messageId, subject, text, to }: Letter) =>
  Effect.promise(async () => {
    // Loaded at the first message: a deployment without messages does not pay for the library.
    const { default: MailComposer } = await import("nodemailer/lib/mail-composer")
    const mail = new MailComposer({
      from: { name: "", address: from },
      to: { name: "", address: to },
      subject,
      text,
      html,
      messageId: `<${messageId}@${domainOf(from)}>`,
      headers: {
        "Content-Language": language,
        // No machine answers to it (RFC 3834, section 5; RFC 2076).
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All"
      },
      disableFileAccess: true,
      disableUrlAccess: true
    })
    return await mail.compile().build()
  })
