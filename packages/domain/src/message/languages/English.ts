import type { Words } from "../Words.ts"

const footer =
  "You receive this message because you look after credentials at {organization}. You can turn it off in the console, on the page My security: {link}"

const toPerson =
  "This message comes from {organization}, which keeps a record of your credentials. Nobody reads answers to it. If you do not know {organization}, ignore this message."

export const english: Words = {
  templates: {
    WEEKLY_DIGEST: {
      subject: "{organization}: open work on {date}",
      text: `On {date} this is open at {organization}:\n\n{items}\n\n${footer}`
    },
    RED_TODAY: {
      subject: "{organization}: people who may no longer work: {count}",
      text: `These people at {organization} passed all compliance checks before, and fail one now:\n\n{items}\n\n${footer}`
    },
    CARD_EXPIRING: {
      subject: "{organization}: your card ends on {expiry}",
      text: `Hello {name},\n\nyour card "{card}" ends on {expiry}. Days left: {count}.\n\nPlease renew it in time, and tell {organization} the new date.\n\n${toPerson}`
    },
    CARD_EXPIRED: {
      subject: "{organization}: your card has ended",
      text: `Hello {name},\n\nyour card "{card}" was last valid on {expiry}.\n\nIf you have a new one, tell {organization} its number and date. Otherwise ask {organization} whether you may work.\n\n${toPerson}`
    },
    REQUEST: {
      subject: "{organization} asks for your credentials",
      text: `Hello {name},\n\n{organization} asks you for:\n\n{items}\n\n{message}\n\nPlease answer by {expiry} on this page. You need no account. The link is for you alone: do not forward it.\n\n{link}\n\n${toPerson}`
    },
    REQUEST_REMINDER: {
      subject: "{organization} still needs your credentials",
      text: `Hello {name},\n\n{organization} has asked you for:\n\n{items}\n\n{message}\n\nPlease answer by {expiry} on this page. You need no account. The link is for you alone: do not forward it.\n\n{link}\n\n${toPerson}`
    },
    REQUEST_CODE: {
      subject: "{organization}: your code",
      text: `Hello {name},\n\nyour code is {code}. Enter it on the page that asks for it.\n\nIf you have not opened that page, somebody else has your link. Do not give the code to anybody, and tell {organization}.\n\n${toPerson}`
    },
    REQUEST_DECIDED: {
      subject: "{organization}: about your answer",
      text: `Hello {name},\n\n{decision}\n\n{reason}\n\n${toPerson}`
    }
  },
  parts: {
    notCompliant: { one: "1 person fails a compliance check.", other: "{count} people fail a compliance check." },
    lapsing: { one: "1 card lapses within 30 days.", other: "{count} cards lapse within 30 days." },
    tasks: { one: "1 task is open, since {oldest}.", other: "{count} tasks are open, the oldest since {oldest}." },
    sources: { one: "1 verification source fails.", other: "{count} verification sources fail." },
    webhooks: {
      one: "1 webhook was disabled after failures.",
      other: "{count} webhooks were disabled after failures."
    },
    mentions: { one: "1 note mentions you, of {oldest}.", other: "{count} notes mention you, the first of {oldest}." }
  },
  more: { one: "and 1 more", other: "and {count} more" },
  manyMore: "and more, too many to count here",
  somebody: "Jane Example",
  sampleMessage: "Please bring the original on Monday.",
  decisions: {
    accepted: "Your answer was accepted.",
    rejected: "Your answer was not accepted."
  }
}
