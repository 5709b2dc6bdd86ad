/**
 * The script of the page. It filters by text and section, unfolds an exchange where it is mentioned, and copies
 * commands. It never turns text into markup.
 */
export const script = `
"use strict"
{
  const byId = (id) => document.getElementById(id)
  const boxes = [...document.querySelectorAll(".counts input")]
  const parts = [...document.querySelectorAll(".of-specification")]
  const rules = [...document.querySelectorAll(".rule")].map((element) => ({
    element,
    section: element.parentElement.dataset.section,
    text: element.textContent.toLowerCase()
  }))
  const [text, section, shown] = ["filter-text", "filter-section", "filter-shown"].map(byId)
  const openVerdicts = ["fail", "error", "warn", "baselined", "blocked", "inconclusive"]
  const levels = ["MUST", "SHOULD", "MAY", "OBSERVE"]

  const apply = () => {
    const words = text.value.toLowerCase().split(/\\s+/).filter((word) => word !== "")
    const off = boxes.filter((box) => !box.checked).map((box) => box.id.slice("show-".length))
    let count = 0
    const filled = new Set()
    for (const rule of rules) {
      const isFound = words.every((word) => rule.text.includes(word))
      rule.element.hidden = !isFound || (section.value !== "" && section.value !== rule.section)
      if (rule.element.hidden || off.some((name) => rule.element.classList.contains(name))) continue
      count += 1
      filled.add(rule.section)
    }
    for (const part of parts) part.hidden = !filled.has(part.dataset.section)
    shown.textContent = count + " of " + rules.length + " rules shown"
  }
  const show = (isShown) => {
    text.value = ""
    section.value = ""
    for (const box of boxes) box.checked = isShown(box.id.slice("show-".length))
    apply()
  }

  const unfold = (details) => {
    const found = byId("exchange-" + details.dataset.exchange)
    if (found === null) return
    const copy = found.cloneNode(true)
    copy.removeAttribute("id")
    details.lastElementChild.replaceWith(copy)
    delete details.dataset.exchange
  }
  const copied = async (button, pre) => {
    try {
      await navigator.clipboard.writeText(pre.textContent)
      button.textContent = "Copied"
    } catch {
      getSelection().selectAllChildren(pre)
      button.textContent = "Selected: copy it now"
    }
  }
  const offerCopy = (details) => {
    if (details.querySelector("button") !== null) return
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = "Copy"
    button.addEventListener("click", () => copied(button, details.querySelector("pre")))
    details.append(button)
  }

  document.addEventListener("toggle", ({ target }) => {
    if (!target.open) return
    if (target.dataset.exchange !== undefined) unfold(target)
    if (target.classList.contains("curl")) offerCopy(target)
  }, true)
  for (const box of boxes) box.addEventListener("change", apply)
  text.addEventListener("input", apply)
  section.addEventListener("change", apply)
  byId("filter-all").addEventListener("click", () => show(() => true))
  byId("filter-open").addEventListener("click", () => show((name) => levels.includes(name) || openVerdicts.includes(name)))
  // a link leads to a rule even if the filter hides the rule
  addEventListener("hashchange", () => {
    const target = byId(decodeURIComponent(location.hash.slice(1)))
    if (target === null || target.checkVisibility()) return
    show(() => true)
    target.scrollIntoView()
  })
  byId("filter").hidden = false
  apply()
}
`
