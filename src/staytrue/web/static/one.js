"use strict";
document.getElementById("one").append(Evidence.card(Site.data.example, Site.data.metrics, { open: true }));
