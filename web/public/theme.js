// Before anything is painted: the colours that somebody chose for this browser, else the system's.
{
  const chosen = localStorage.getItem("theme");
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const { dataset, style } = document.documentElement;
  dataset.theme = style.colorScheme = dark ? "dark" : "light";
}
