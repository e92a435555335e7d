"""Words that say nothing about a subject; they never take part in an OR."""

from __future__ import annotations

ENGLISH = """
a about after all also am an and any are as at be been being both but by can cannot could did do
does doing done each either else ever every few for from get gets got had has have having he her
here hers him his how i if in into is it its itself just let like may me might mine more most much
must my myself neither no nor not of off on once one only onto or other our ours out over own per
shall she should so some such than that the their theirs them themselves then there these they
this those through thus to too under until up upon us very was we were what when where whether
which while who whom whose why will with within without would yet you your yours yourself
arent cant couldnt didnt doesnt dont hadnt hasnt havent hed hes id ill im isnt ive lets shed shes
shouldnt thats theres theyd theyre theyve wasnt were werent weve whats wheres whos wont wouldnt
youd youll youre youve
"""

RUSSIAN = """
а без более больше будет будто бы был была были было быть в вам вас ведь весь вдоль во вот все
всего всех вы где да даже для до его ее ей ему если есть еще ж же за и из или им их к как какая
какой какие когда кто ли либо мне меня может мы на над надо наш не него нее нет ни них но ну о об
однако он она они оно от очень по под после потом потому при про с сам свое свой свои себе себя со
так также такой там те тем то того тоже только том тот ту ты у уже хоть хотя чего чей чем через
что чтобы чье эта эти это этого этой этом этот эту я
"""

STOP_WORDS = frozenset((ENGLISH + RUSSIAN).split())
