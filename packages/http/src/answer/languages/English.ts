import { html } from "../../Html.ts"
import type { PageWords } from "../PageWords.ts"

export const english: PageWords = {
  language: "en",
  dates: "en-AU",
  noLink: {
    title: "This link is not valid",
    text: "The link is incomplete or has ended. Ask the organization that sent it for a new one."
  },
  left: {
    title: "You have left this page",
    text: "This device no longer shows what you entered. To go on, open the link again: it asks for a code."
  },
  unread: {
    tooLarge: {
      title: "That was too large",
      text: "A file can have at most 10 MB. Open the page again, and choose a smaller one. What you sent is still there."
    },
    unreadable: { title: "That was not understood", text: "Open the page again, and send it again." },
    tooMany: { title: "Too many requests", text: "Wait a minute, then send it again, or open the link again." },
    unavailable: {
      title: "Please wait a moment",
      text: "Nothing was stored. Send it again in a minute, or open the link again."
    },
    failed: {
      title: "Something went wrong",
      text: "Open the page again later. If it happens again, tell the organization that sent the link."
    }
  },
  sendAgain: "Send it again",
  openAgain: "Open the page again",
  asking: {
    title: "Details of your cards",
    asks: (organization) => html`${organization} asks you for the details of:`,
    until: (day) => `You can answer until ${day}.`,
    effort: "It takes about two minutes. Have your card at hand.",
    firstDevice: "The link then works on this device only. On another device it needs a code.",
    begin: "Begin",
    choose: "Fill in the cards that you have. Leave the others empty.",
    you: "You",
    check: "Check and continue",
    correct: "See or correct what you have sent",
    shared: "Do others use this device? Leave this page when you are done.",
    leave: "I am done on this device"
  },
  code: {
    title: "Enter a code",
    wrong: "The code is wrong or has expired.",
    other: (
      organization
    ) => html`This link of ${organization} was opened on another device before. If that was not you, tell
the organization. After you have entered the code, the link works on this device only.`,
    sent: "If a code could be sent, it is in a second message to you. It is valid for 15 minutes.",
    label: "Code",
    go: "Continue",
    send: "Send me a code",
    another: "Send another code"
  },
  labels: {
    "holder.firstName": "First name, as on the card",
    "holder.lastName": "Family name, as on the card",
    "holder.birthDate": "Date of birth",
    identifier: "Number of the card",
    issueNumber: "Issue number",
    issuingCountry: "Country of issue",
    expiryDate: "Last valid day on the card"
  },
  ifShown: "if the card shows one",
  country: "two capital letters, such as NZ",
  consentTitle: "How your details are used",
  reason: (path, reason) => (path === "" ? "Enter the details of at least one card" : reason),
  beside: (reason) => `This ${reason}.`,
  faults: { title: "Please look at this:", consent: "Your consent" },
  stands: {
    waiting: (organization) => `Your answer was sent. ${organization} looks at it. Until then you can correct it here.`,
    approving: (organization) => `${organization} is taking over your answer.`,
    approved: (organization) => `${organization} has accepted your answer. You need not do anything more.`,
    rejected: (organization, reason) => `${organization} could not accept your answer: ${reason}`,
    closed: (organization) =>
      `This was not stored: ${organization} is deciding on your answer now. Try again in a minute.`
  },
  ended: {
    title: "This request has ended",
    text: (organization) => `${organization} does not ask you for anything more here.`
  },
  files: {
    title: "Photos and scans",
    card: "Which card does it show?",
    chooseCard: "Choose a card",
    label: "Add a photo or a scan of a card (PDF, JPEG, PNG or HEIC, at most 10 MB)",
    add: "Add the file",
    refused: "The file was not added",
    none: "Choose a file first.",
    closed: "The organization has decided on your answer, or decides now. So no file can be added.",
    remove: "Take back",
    back: "Back",
    reason: (refusal) => {
      if (refusal._tag === "DocumentsFull" && refusal.limit === "record")
        return "No further file fits. Take one back first."
      if (refusal._tag !== "InvalidArgument") return "The file cannot be stored. Tell the organization."
      if (refusal.field === "card") return "Say which card the file shows."
      return refusal.reason.endsWith(" bytes") ? "The file is larger than 10 MB." : `The file ${refusal.reason}.`
    }
  },
  summary: {
    title: "Is everything right?",
    agreed: "You have agreed.",
    send: (organization) => `Send to ${organization}`,
    change: "Change something"
  }
}
