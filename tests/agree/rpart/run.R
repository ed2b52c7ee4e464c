# Rscript run.R <folder>: grows the trees that <folder>/cases.json asks for, writes <folder>/answers.json.
library(rpart)
library(jsonlite)

folder <- commandArgs(TRUE)[1]
cases <- fromJSON(file.path(folder, "cases.json"), simplifyVector = FALSE)

read_table <- function(case) {
  table <- read.csv(file.path(folder, case$file))
  for (j in seq_along(case$levels)) {
    count <- case$levels[[j]]
    if (count > 0) table[[j]] <- factor(table[[j]], levels = seq_len(count))
  }
  if (case$classes > 0) table$y <- factor(table$y, levels = seq_len(case$classes))
  table
}

# Cells that are blanked to see where rows without them go: a rule that other programs can follow.
blanked <- function(table) {
  for (j in seq_len(ncol(table) - 1)) {
    rows <- seq_len(nrow(table))
    table[(rows * 7 + j * 13) %% 5 == 0, j] <- NA
  }
  table
}

leaves <- function(fit, table) {
  at <- rpart:::pred.rpart(fit, rpart:::rpart.matrix(model.frame(delete.response(terms(fit)), table, na.action = na.pass, xlev = attr(fit, "xlevels"))))
  as.integer(row.names(fit$frame))[at]
}

answer <- function(case) {
  table <- read_table(case)
  settings <- case$settings
  folds <- if (is.null(settings$folds)) 0 else rep(seq_len(settings$folds), length.out = nrow(table))
  control <- do.call(rpart.control, c(settings$control, list(xval = folds)))
  parms <- list()
  if (!is.null(settings$prior)) parms$prior <- unlist(settings$prior)
  if (!is.null(settings$loss)) parms$loss <- matrix(unlist(settings$loss), nrow = case$classes, byrow = TRUE)
  if (!is.null(settings$split)) parms$split <- settings$split
  if (!is.null(settings$shrink)) parms$shrink <- settings$shrink
  ask <- list(y ~ ., data = table, method = settings$method, control = control)
  if (!is.null(settings$weights)) ask$weights <- rep(unlist(settings$weights), length.out = nrow(table))
  fit <- do.call(rpart, if (length(parms)) c(ask, list(parms = parms)) else ask)
  frame <- fit$frame
  splits <- fit$splits
  list(
    name = case$name,
    node = I(as.integer(row.names(frame))), var = I(as.character(frame$var)), n = I(frame$n), wt = I(frame$wt), dev = I(frame$dev),
    yval = I(as.numeric(frame$yval)), complexity = I(frame$complexity), ncompete = I(frame$ncompete), nsurrogate = I(frame$nsurrogate),
    prob = if (settings$method == "class") frame$yval2[, (2 + case$classes):(1 + 2 * case$classes), drop = FALSE] else NULL,
    split_var = if (is.null(splits)) list() else I(row.names(splits)),
    splits = if (is.null(splits)) list() else unname(splits),
    csplit = if (is.null(fit$csplit)) list() else unname(fit$csplit),
    cptable = unname(fit$cptable),
    where = as.integer(row.names(frame))[fit$where],
    kept = setdiff(seq_len(nrow(table)), as.integer(fit$na.action)),
    blanked = leaves(fit, blanked(table))
  )
}

answers <- lapply(cases, function(case) tryCatch(answer(case), error = function(e) list(name = case$name, error = conditionMessage(e))))
writeLines(toJSON(answers, digits = 11, auto_unbox = TRUE, null = "null", na = "null"), file.path(folder, "answers.json"))
