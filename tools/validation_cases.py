"""All cases of validation, in the order of the page."""
import validation_cases_coupled
import validation_cases_rigid
import validation_cases_solids
import validation_cases_tanks
import validation_cases_viscous

CASES = [case for topic in (validation_cases_tanks, validation_cases_viscous, validation_cases_rigid, validation_cases_solids, validation_cases_coupled)
         for case in topic.CASES]
